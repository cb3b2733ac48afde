import { followed } from './request-life';
import type { RequestLife, StoredStatus } from './request-state';

/** The life of a request as stored on disk, before the restart is applied. */
export function storedLife(status: StoredStatus, sends: RequestLife['sends']): RequestLife {
  return followed({ state: status, sends });
}
