import { isOpenStatus } from '@libs/request-life';
import type { Change } from './core-event';
import { isOpenIntent } from './journal-records';
import { rememberedOf, retentionMs } from './known-key';
import { requestRow, type LiveRequest } from './trade-state';

/** The changes that write rows of a request as they are now. @param responseTtlMs how long its answer is kept */
export function rowChanges(
  request: LiveRequest,
  rows: Iterable<string>,
  runningMs: number,
  responseTtlMs: number,
): Change[] {
  return [...rows].flatMap((row) =>
    row === requestRow ? requestChanges(request, runningMs, responseTtlMs) : intentChanges(request, row, runningMs),
  );
}

function requestChanges({ record, intents }: LiveRequest, runningMs: number, responseTtlMs: number): Change[] {
  const { key, status, clientOrderId } = record;
  const put: Change = { put: 'request', record };
  if (isOpenStatus(status)) return [put, { put: 'open', key }];
  const endedMs = record.settledAtRunningMs ?? runningMs;
  const kept: Change[] = [
    put,
    { remove: 'open', id: key },
    { put: 'lifetime', kind: 'request', id: key, untilMs: endedMs + responseTtlMs },
  ];
  // No client can name a key that the gateway generated.
  if (clientOrderId === null) return kept;
  return [...kept, { put: 'key', key, entry: rememberedOf(record, [...intents.values()], endedMs) }];
}

function intentChanges({ intents, claims, settledAtMs }: LiveRequest, id: string, runningMs: number): Change[] {
  const intent = intents.get(id);
  if (!intent) return [];
  const put: Change = { put: 'intent', intent };
  // Without an outcome of this process, one that is looked up does not expire.
  const endedMs = settledAtMs.get(id) ?? (isOpenIntent(intent) ? null : runningMs);
  if (endedMs === null) return [put];
  const settled: Change[] = [
    put,
    { remove: 'evidence', id },
    { put: 'lifetime', kind: 'intent', id, untilMs: endedMs + retentionMs.intent },
  ];
  const claimed = claims.get(id);
  if (!claimed) return settled;
  const { ticket, claim } = claimed;
  const lifetime = { kind: 'ticket', id: String(ticket), untilMs: endedMs + retentionMs.key } as const;
  return [...settled, { put: 'claim', ticket, claim }, { put: 'lifetime', ...lifetime }];
}
