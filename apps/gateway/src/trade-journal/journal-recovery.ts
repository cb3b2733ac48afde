import type { SettledOutcome, TicketClaim, TradeRequestRecord, IntentRecord } from '../trade-core/journal-records';
import type { AuditedSends } from './audited-sends';
import type { CoreEffect, CoreEventBody } from '../trade-core/core-event';
import type { CoreShell, Performed } from './core-shell';
import type { JournalStore } from './journal.store';
import { unknownOutcomeAnswer } from './unknown-outcome.error';

/** Writes that are made at a time; each keeps its rows in memory until it is on disk. */
const sharingFlush = 1_000;

/** A send without an outcome from an earlier process. */
export type CutShort = Extract<CoreEffect, { readonly type: 'cut short' }>;

/** A request that the core has to know before it decides. */
interface LeftOpen {
  readonly record: TradeRequestRecord;
  readonly intents: ReadonlyMap<string, IntentRecord>;
  /** Whether the disk has it as it is here. */
  readonly isWritten: boolean;
}

/**
 * Restores the unsettled requests of an earlier process: those of the journal, and those that only the audit log has. A key
 * that the journal knows stays as it is there.
 * @param isKnown whether the journal knows a key
 * @param claimsOf the claims of tickets that some sends may concern
 * @returns the intents whose outcome became unknown in this process
 * @throws StoreOpenError when an open request cannot be read
 */
export async function recover(
  shell: CoreShell,
  store: JournalStore,
  audited: AuditedSends,
  isKnown: (key: string) => boolean,
  claimsOf: (intents: readonly IntentRecord[]) => [number, TicketClaim][],
): Promise<CutShort[]> {
  shell.deliver({ type: 'claims found', claims: [...audited.claims] });
  const found = leftOpen(store, audited, isKnown);
  const cutShort: CutShort[] = [];
  let writes: Promise<Performed>[] = [];
  const ended = async (): Promise<void> => {
    for (const { effects } of await Promise.all(writes)) {
      for (const effect of effects) if (effect.type === 'cut short') cutShort.push(effect);
    }
    writes = [];
  };
  for (const request of found) {
    writes.push(shell.run(restarted(request, audited, claimsOf)));
    // Thousands of requests of a lost journal share flushes, but not all of them one.
    if (writes.length >= sharingFlush) await ended();
  }
  await ended();
  return cutShort;
}

function leftOpen(store: JournalStore, audited: AuditedSends, isKnown: (key: string) => boolean): LeftOpen[] {
  const found = new Map<string, LeftOpen>();
  for (const { record, intents } of store.leftOpen()) {
    // One that has ended is still marked as open: its end was written in part.
    const isWritten = record.status === 'in_progress' || record.status === 'unknown';
    found.set(record.key, { record, intents: new Map(intents.map((intent) => [intent.id, intent])), isWritten });
  }
  for (const { record, intents } of audited.requests) {
    const before = found.get(record.key);
    if (before ? before.record.id !== record.id : isKnown(record.key)) continue;
    const all = new Map([...(before?.intents ?? []), ...intents.map((intent) => [intent.id, intent] as const)]);
    found.set(record.key, { record: before?.record ?? record, intents: all, isWritten: false });
  }
  return [...found.values()];
}

function restarted(
  { record, intents, isWritten }: LeftOpen,
  audited: AuditedSends,
  claimsOf: (intents: readonly IntentRecord[]) => [number, TicketClaim][],
): CoreEventBody {
  const outcomes = outcomesOf(intents, audited);
  const settled = new Map(outcomes);
  const after = [...intents.values()].map((intent) => ({
    ...intent,
    outcome: settled.get(intent.id) ?? intent.outcome,
  }));
  const answer = unknownOutcomeAnswer(interrupted, record.clientOrderId, record.requestId);
  return {
    type: 'restarted',
    record,
    intents: [...intents.values()],
    isWritten,
    outcomes,
    interrupted: { ...answer, reason: interrupted },
    claims: claimsOf(after),
  };
}

/** Outcomes that the journal could not write before a crash. */
function outcomesOf(
  intents: ReadonlyMap<string, IntentRecord>,
  { outcomes }: AuditedSends,
): (readonly [string, SettledOutcome])[] {
  return [...intents.values()].flatMap(({ id, outcome: { kind } }) => {
    if (kind !== 'pending' && kind !== 'unknown') return [];
    const outcome = outcomes.get(id);
    const isDefinite = outcome?.kind === 'done' || outcome?.kind === 'rejected' || outcome?.kind === 'absent';
    return isDefinite ? [[id, outcome] as const] : [];
  });
}

const interrupted = 'the gateway stopped before the answer';
