import { DealEntry, DealType, OrderType, TradeReason } from '@libs/trade-constants';
import type { TradeDeal, TradeOrder, TradePosition, Unexplained } from './evidence';

/** The rows of each list of an account. */
export interface ListRows {
  readonly positions: TradePosition;
  readonly orders: TradeOrder;
  readonly history_orders: TradeOrder;
  readonly deals: TradeDeal;
}

type Row = Readonly<Partial<Record<string, unknown>>> & { readonly ticket: number; readonly symbol: string };

/** Splits and corporate actions book shares without a price, and corrections without a volume. */
const booked: readonly number[] = [TradeReason.SPLIT, TradeReason.CORPORATE_ACTION];

/** Members that a row of each list has once it is loaded. Prices may be negative, and an option may expire at 0. */
const members: { readonly [List in keyof ListRows]: (row: ListRows[List]) => readonly (keyof ListRows[List])[] } = {
  positions: ({ reason }) => [
    ...(['identifier', 'symbol', 'time', 'volume'] as const),
    ...(booked.includes(reason) ? [] : (['price_open'] as const)),
  ],
  orders: ({ type }) => [
    'symbol',
    'time_setup',
    'volume_initial',
    ...(isPending(type) ? (['price_open'] as const) : []),
  ],
  history_orders: () => ['symbol', 'time_done', 'volume_initial'],
  deals: ({ type, entry, reason }) => {
    if ((type !== DealType.BUY && type !== DealType.SELL) || booked.includes(reason)) return ['time'];
    return ['symbol', 'time', 'volume', ...(entry === DealEntry.IN ? (['price'] as const) : [])];
  },
};

const spoils = { positions: 'positions', orders: 'orders', history_orders: 'entries', deals: 'entries' } as const;
const nouns = { positions: 'position', orders: 'order', history_orders: 'order', deals: 'deal' } as const;

/** Why a row is not loaded: it has no ticket, or 0 or nothing where each such row has something. Null if it is loaded. */
export function notLoaded<List extends keyof ListRows>(list: List, row: ListRows[List]): Unexplained | null {
  const { ticket, symbol }: Row = row;
  const facts = { kind: 'row_not_loaded', spoils: spoils[list], symbol: symbol === '' ? null : symbol } as const;
  if (ticket <= 0)
    return { ...facts, ticket: null, message: `the terminal shows ${article(nouns[list])} without a ticket` };
  const lacking = members[list](row).find((name) => row[name] === 0 || row[name] === '');
  if (lacking === undefined) return null;
  return { ...facts, ticket, message: `${nouns[list]} ${ticket} is shown without its ${String(lacking)}` };
}

/** The rows that are loaded. @param found receives why the others are not */
export function loadedRows<List extends keyof ListRows>(
  list: List,
  rows: readonly ListRows[List][],
  found: Unexplained[],
): readonly ListRows[List][] {
  const before = found.length;
  for (const row of rows) {
    const lack = notLoaded(list, row);
    if (lack !== null) found.push(lack);
  }
  return found.length === before ? rows : rows.filter((row) => notLoaded(list, row) === null);
}

function isPending(type: number): boolean {
  return type !== OrderType.BUY && type !== OrderType.SELL && type !== OrderType.CLOSE_BY;
}

function article(noun: string): string {
  return `${noun === 'order' ? 'an' : 'a'} ${noun}`;
}
