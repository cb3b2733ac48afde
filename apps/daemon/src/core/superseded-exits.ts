import { purposeOf } from './in-flight-requests';
import type { IntentRecord } from './records';

/**
 * Keys of exits that an earlier start left open after a newer exit for the same purpose. Without a restart they would not be sent
 * either. The newer exit may have ended, and may have been sent under an earlier lease: this does not make it older. Newer is by
 * the wall clock.
 */
export function supersededExits(open: readonly IntentRecord[], all: readonly IntentRecord[]): string[] {
  const newest = new Map<string, IntentRecord>();
  for (const record of all) {
    if (record.isEntry) continue;
    const purpose = purposeOf(record);
    if (record.createdAtMs > (newest.get(purpose)?.createdAtMs ?? -Infinity)) newest.set(purpose, record);
  }
  return open.filter((record) => isOlder(record, newest.get(purposeOf(record)))).map(({ key }) => key);
}

/** A retry has the intent of the request that it repeats. */
function isOlder(record: IntentRecord, newest: IntentRecord | undefined): boolean {
  if (record.isEntry || newest === undefined) return false;
  return newest.intentId !== record.intentId && newest.createdAtMs > record.createdAtMs;
}
