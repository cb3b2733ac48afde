import { isEntry, type SendRecord } from '../sends';

/** New risk is sent only after its intent is on disk, and its line in the audit log. */
export function sentWithoutIntent(send: SendRecord, auditLogs: readonly string[]): string[] {
  if (!isEntry(send.request) || auditLogs.some((text) => text.includes(`"${send.intentId}"`))) return [];
  return [`send ${send.number} (${send.marker}) went out, and its intent ${send.intentId} is not on the audit log`];
}

/** New risk is sent only after its intent is in the journal. */
export function sentBeforeJournal(send: SendRecord, journaled: Pick<ReadonlyMap<string, unknown>, 'has'>): string[] {
  if (!isEntry(send.request) || journaled.has(send.intentId)) return [];
  return [`send ${send.number} (${send.marker}) goes out, and its intent ${send.intentId} is not in the journal`];
}
