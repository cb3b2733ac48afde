import { followed } from './request-life';
import { freeKey, type RequestLife, type StoredStatus } from './request-state';

/** The life of a request as stored on disk, before the restart is applied. */
export function storedLife(status: StoredStatus, sends: RequestLife['sends']): RequestLife {
  return followed({ state: status, sends });
}

/** Whether a void of a key is written, being written, or neither. */
export type VoidMark = 'none' | 'being_written' | 'written';

/** The life of a key with its void, which is stored separately from the request. A request with an intent has none. */
export function withVoid(life: RequestLife | undefined, mark: VoidMark): RequestLife {
  const { state } = life ?? freeKey;
  if (mark === 'none' || (state !== 'free' && state !== 'reserved')) return life ?? freeKey;
  const isWritten = mark === 'written';
  if (state === 'free') return { state: isWritten ? 'void' : 'voiding', sends: {} };
  return { state: isWritten ? 'reserved_void' : 'reserved_voiding', sends: {} };
}
