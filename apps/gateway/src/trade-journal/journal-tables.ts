import type { Table, TableSource } from '@libs/store';
import type { StampedEvent } from '../audit/audit-record';
import type { Change } from '../trade-core/core-event';
import type { StoredFence } from '../trade-core/fence';
import type { IntentRecord, TicketClaim, TradeRequestRecord } from '../trade-core/journal-records';
import { KeyTables } from './key-tables';

/**
 * Whether the journal contains everything that was done: `unproven` for a new one until the account was searched for
 * traces of an earlier one, `lost` if it replaces one that was lost.
 */
export type Trust = 'proven' | 'unproven' | 'lost';

/** The journal's record of itself. */
export interface Identity {
  readonly id: string;
  readonly trust: Trust;
  /** Why it counts as lost; null if it does not. */
  readonly loss: string | null;
  /** How often it was judged lost; missing: never. */
  readonly losses?: number;
  /** When it was last judged lost, UTC milliseconds. */
  readonly lostAtMs?: number;
}

/** The tables on disk. Write them only within a change of {@link JournalStore.write}. */
export interface Tables {
  readonly requests: Table<TradeRequestRecord, string>;
  readonly intents: Table<IntentRecord, string>;
  readonly claims: Table<TicketClaim, number>;
  readonly openKeys: Table<number, string>;
  /** Intents by the time they were written. */
  readonly timeline: Table<number, (string | number)[]>;
  readonly keys: KeyTables;
  /** Fences by the name of their strategy. */
  readonly fences: Table<StoredFence, string>;
  /** Events whose lines may be missing in the audit log, by number. */
  readonly records: Table<StampedEvent, number>;
  readonly meta: Table<Identity | number, string>;
}

/** Opens the tables of the journal. */
export function defineTables(source: TableSource): Tables {
  return {
    requests: source.table('requests'),
    intents: source.table('intents'),
    claims: source.table('claims'),
    openKeys: source.table('open'),
    timeline: source.table('timeline'),
    keys: new KeyTables(source),
    fences: source.table('fences'),
    records: source.table('records'),
    meta: source.table('meta'),
  };
}

/** Makes a change that the core decided on. */
export function applyChange(tables: Tables, change: Change): void {
  if ('put' in change) put(tables, change);
  else remove(tables, change);
}

function put(tables: Tables, change: Extract<Change, { readonly put: unknown }>): void {
  const { requests, intents, claims, openKeys, timeline, fences, keys } = tables;
  switch (change.put) {
    case 'request':
      return void requests.put(change.record.key, change.record);
    case 'open':
      return void openKeys.put(change.key, 1);
    case 'intent': {
      const { intent } = change;
      void intents.put(intent.id, intent);
      void timeline.put([intent.createdAtMs, intent.id], 1);
      return keys.indexChange(intent);
    }
    case 'claim':
      return void claims.put(change.ticket, change.claim);
    case 'key':
      return keys.remember(change.key, change.entry);
    case 'fence':
      return void fences.put(change.name, change.fence);
    case 'refusal':
      return void keys.refused.put(change.hash, change.binding);
    case 'lifetime':
      return void keys.lifetimes.put([change.untilMs, change.kind, change.id], 1);
  }
}

function remove(tables: Tables, change: Extract<Change, { readonly remove: unknown }>): void {
  const { requests, intents, claims, openKeys, timeline, keys } = tables;
  switch (change.remove) {
    case 'request':
      return void requests.remove(change.id);
    case 'open':
      return void openKeys.remove(change.id);
    case 'intent': {
      const { id } = change;
      const intent = intents.get(id);
      if (intent) {
        void timeline.remove([intent.createdAtMs, id]);
        keys.dropChange(intent);
      }
      void intents.remove(id);
      return void keys.evidence.remove(id);
    }
    case 'claim':
      return void claims.remove(Number(change.id));
    case 'evidence':
      return void keys.evidence.remove(change.id);
    case 'key':
      return void keys.used.remove(Buffer.from(change.id, 'hex'));
    case 'refusal':
      return void keys.refused.remove(change.id);
    case 'lifetime': {
      const { untilRunningMs, kind, id } = change.entry;
      return void keys.lifetimes.remove([untilRunningMs, kind, id]);
    }
  }
}

/** Records an event of a change, under the next number. */
export function addRecord({ records, keys: { counters } }: Tables, stamped: StampedEvent): void {
  const number = (counters.get('record') ?? 0) + 1;
  void counters.put('record', number);
  void records.put(number, stamped);
}

/** Removes the records up to a number, whose lines are on disk. @param epoch of the journal's series */
export function endRecords({ records, keys: { counters } }: Tables, upTo: number, epoch: number): void {
  if (epoch !== (counters.get('record_epoch') ?? 0)) void counters.put('record_epoch', epoch);
  if (upTo <= (counters.get('flushed_record') ?? 0)) return;
  for (const number of [...records.getKeys({ end: upTo + 1 })]) void records.remove(number);
  void counters.put('flushed_record', upTo);
}
