import type { Table, TableSource } from '@libs/store';
import type { StampedEvent } from '../audit/audit-record';
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

/** The tables, as {@link JournalStore.write} passes them to a change. */
export interface JournalTables {
  putRequest(record: TradeRequestRecord): void;
  removeRequest(key: string): void;
  putIntent(record: IntentRecord): void;
  removeIntent(id: string): void;
  putClaim(ticket: number, claim: TicketClaim): void;
  /** Within the change, with what was put before. */
  hasClaim(ticket: number): boolean;
  removeClaim(ticket: number): void;
  markOpen(key: string): void;
  clearOpen(key: string): void;
  putFence(name: string, fence: StoredFence): void;
  /** Records an event of the change, under the next number. */
  addRecord(stamped: StampedEvent): void;
  /** Removes the records up to a number, whose lines are on disk. @param epoch of the journal's series */
  endRecords(upTo: number, epoch: number): void;
  readonly keys: KeyTables;
}

/** The tables on disk. */
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

/** The changes that a write may make. */
export function changesOf(tables: Tables): JournalTables {
  const { requests, intents, claims, openKeys, timeline, keys, fences, records } = tables;
  return {
    putRequest: (record) => void requests.put(record.key, record),
    removeRequest: (key) => void requests.remove(key),
    putIntent: (record) => {
      void intents.put(record.id, record);
      void timeline.put([record.createdAtMs, record.id], 1);
      keys.indexChange(record);
    },
    removeIntent: (id) => {
      const record = intents.get(id);
      if (record) {
        void timeline.remove([record.createdAtMs, id]);
        keys.dropChange(record);
      }
      void intents.remove(id);
      keys.removeEvidence(id);
    },
    putClaim: (ticket, claim) => void claims.put(ticket, claim),
    hasClaim: (ticket) => claims.doesExist(ticket),
    removeClaim: (ticket) => void claims.remove(ticket),
    markOpen: (key) => void openKeys.put(key, 1),
    clearOpen: (key) => void openKeys.remove(key),
    putFence: (name, fence) => void fences.put(name, fence),
    addRecord: (stamped) => void records.put(keys.nextRecord(), stamped),
    endRecords: (upTo, epoch) => {
      if (epoch !== keys.recordEpoch()) keys.putRecordEpoch(epoch);
      if (upTo <= keys.flushedRecord()) return;
      for (const number of [...records.getKeys({ end: upTo + 1 })]) void records.remove(number);
      keys.putFlushedRecord(upTo);
    },
    keys,
  };
}
