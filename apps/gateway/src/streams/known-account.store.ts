import type { TradeOrder } from '@libs/terminal-client';
import type { Table, TableSource } from '@libs/store';
import type { KnownAccountChanges, KnownAccountRows, KnownAccountSummary, KnownPosition } from './known-account';
import type { SeenBounds } from './seen-tickets';

/** Account and ticket, or identifier of a position. */
type RowKey = [account: string, ticket: number];

/** An account in one record, as version 0.1.0 stored it. */
interface WholeAccountRecord {
  readonly positions: readonly KnownPosition[];
  readonly orders: readonly TradeOrder[];
  readonly deals: SeenBounds & { readonly recent: readonly (readonly [number, number])[] };
  readonly doneOrders: SeenBounds & { readonly recent: readonly (readonly [number, number])[] };
  readonly closedLately: readonly number[];
}

/** The tables of known accounts: a row is written when it changes, so that an event costs the same with any number of positions. */
export interface KnownAccountTables {
  readonly accounts: Table<KnownAccountSummary | WholeAccountRecord, string>;
  readonly positions: Table<KnownPosition, RowKey>;
  readonly orders: Table<TradeOrder, RowKey>;
  readonly deals: Table<number, RowKey>;
  readonly doneOrders: Table<number, RowKey>;
  readonly amounts: Table<number, RowKey>;
}

/** Number of tables in {@link knownAccountTables}. */
export const knownAccountTableCount = 6;

export function knownAccountTables(source: TableSource): KnownAccountTables {
  return {
    accounts: source.table('accounts'),
    positions: source.table('known-positions'),
    orders: source.table('known-orders'),
    deals: source.table('seen-deals'),
    doneOrders: source.table('seen-done-orders'),
    amounts: source.table('seen-deal-amounts'),
  };
}

/** The account as last written; undefined before the first write. */
export function readKnownAccount(tables: KnownAccountTables, account: string): KnownAccountRows | undefined {
  const summary = tables.accounts.get(account);
  if (summary === undefined || isWhole(summary)) return summary && rowsOfWhole(summary);
  return {
    positions: rowsOf(tables.positions, account).map(([, row]) => row),
    orders: rowsOf(tables.orders, account).map(([, row]) => row),
    deals: rowsOf(tables.deals, account),
    doneOrders: rowsOf(tables.doneOrders, account),
    amounts: rowsOf(tables.amounts, account),
    summary,
  };
}

/** Writes what changed; within one change of the store. */
export function writeKnownAccount(tables: KnownAccountTables, account: string, changes: KnownAccountChanges): void {
  const before = tables.accounts.get(account);
  if (before !== undefined && isWhole(before)) writeRows(tables, account, rowsOfWhole(before));
  putAll(tables.positions, account, changes.positions);
  putAll(tables.orders, account, changes.orders);
  putAll(tables.deals, account, changes.deals);
  putAll(tables.doneOrders, account, changes.doneOrders);
  putAll(tables.amounts, account, changes.amounts);
  void tables.accounts.put(account, changes.summary);
}

function writeRows(tables: KnownAccountTables, account: string, rows: KnownAccountRows): void {
  putAll(tables.positions, account, new Map(rows.positions.map((row) => [row.record.identifier, row])));
  putAll(tables.orders, account, new Map(rows.orders.map((row) => [row.ticket, row])));
  putAll(tables.deals, account, new Map(rows.deals));
  putAll(tables.doneOrders, account, new Map(rows.doneOrders));
}

function rowsOf<V>(table: Table<V, RowKey>, account: string): [number, V][] {
  const range = { start: [account, Number.NEGATIVE_INFINITY], end: [account, Number.POSITIVE_INFINITY] } as const;
  return [...table.getRange({ start: [...range.start], end: [...range.end] })].map(({ key, value }) => [key[1], value]);
}

function putAll<V>(table: Table<V, RowKey>, account: string, rows: ReadonlyMap<number, V | null>): void {
  for (const [ticket, row] of rows) {
    if (row === null) void table.remove([account, ticket]);
    else void table.put([account, ticket], row);
  }
}

function isWhole(record: KnownAccountSummary | WholeAccountRecord): record is WholeAccountRecord {
  return 'positions' in record;
}

function rowsOfWhole({ positions, orders, deals, doneOrders, closedLately }: WholeAccountRecord): KnownAccountRows {
  const [dealBounds, orderBounds] = [deals, doneOrders].map(({ latest, highest }) => ({ latest, highest }));
  return {
    positions,
    orders,
    deals: deals.recent,
    doneOrders: doneOrders.recent,
    amounts: [],
    summary: { deals: dealBounds ?? deals, doneOrders: orderBounds ?? doneOrders, closedLately },
  };
}
