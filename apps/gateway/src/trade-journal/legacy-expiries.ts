import type { JournalWriter } from './journal-writer';
import { applyChange, type Tables } from './journal-tables';
import type { JournalStore } from './journal.store';
import type { Lifetime } from './key-tables';
import { rememberedOf, retentionMs, unknownFingerprint } from '../trade-core/known-key';
import type { RunningTime } from './running-time';

const portion = 500;

/**
 * Moves the expiries of a journal of version 0.1.0 from the wall clock to running time, so that each entry is kept for
 * its full time from now on. Every used key is kept; if its request is gone already, by its ticket.
 * @throws when it cannot be written; the next call moves the rest, and nothing expires until then
 */
export async function moveLegacyExpiries(
  store: JournalStore,
  writer: JournalWriter,
  running: RunningTime,
  responseTtlMs: number,
): Promise<void> {
  const keptMs = { request: responseTtlMs, intent: retentionMs.intent, ticket: retentionMs.key };
  const next = (): (string | number)[][] => [...store.keys.legacyExpiries.getKeys({ limit: portion })];
  for (let found = next(); found.length > 0; found = next()) {
    const nowMs = running.nowMs();
    await writer.write((tables) => {
      for (const expiry of found) {
        void tables.keys.legacyExpiries.remove(expiry);
        const [kind, id] = [expiry[1] as Lifetime['kind'], String(expiry[2])];
        applyChange(tables, { put: 'lifetime', untilMs: nowMs + keptMs[kind], kind, id });
        if (kind === 'request') moveRequest(id, store, tables, nowMs);
        if (kind === 'ticket') moveTicket(Number(id), store, tables, nowMs);
      }
    });
  }
}

function moveRequest(key: string, store: JournalStore, tables: Tables, nowMs: number): void {
  const record = store.request(key);
  if (!record || record.settledAtMs === null) return;
  const settled = { ...record, settledAtRunningMs: record.settledAtRunningMs ?? nowMs };
  applyChange(tables, { put: 'request', record: settled });
  if (record.clientOrderId === null) return;
  tables.keys.remember(key, rememberedOf(record, store.intentsOf(record.id), nowMs));
}

/** Without the request, only key and ticket are known. A key with several tickets gets none. */
function moveTicket(ticket: number, store: JournalStore, tables: Tables, nowMs: number): void {
  const claim = store.claim(ticket);
  const key = claim?.clientOrderId;
  if (key == null || store.request(key)) return;
  const known = store.keys.memory(key);
  if (known && known.fingerprint !== unknownFingerprint) return;
  tables.keys.remember(key, {
    status: 'completed',
    route: null,
    responseStatus: 200,
    ticket: known && known.ticket !== ticket ? null : ticket,
    fingerprint: unknownFingerprint,
    createdAtMs: store.intent(claim?.intentId ?? '')?.createdAtMs ?? null,
    login: null,
    endedAtRunningMs: nowMs,
  });
}
