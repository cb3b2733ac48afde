import { Decimal } from 'decimal.js';
import { balanceChange, sumUpTo } from '@libs/account-evidence';
import { moneyText } from '@libs/records';
import type { TradeDeal, TradeOrder, TradePosition } from '@libs/terminal-client';

/** What the account shows of the past: positions, orders and deals. */
export interface AccountRows {
  readonly positions: readonly TradePosition[];
  readonly orders: readonly TradeOrder[];
  readonly deals: readonly TradeDeal[];
}

/** The rows since an instant, and the money that the deals of the whole history have to explain. */
export interface AccountBooks extends AccountRows {
  /** Start of the rows, in server seconds. */
  readonly fromS: number;
  readonly allDeals: readonly TradeDeal[];
  /** Balances in the deposit currency, read before and after the rows. */
  readonly balances: readonly number[];
  /** Decimals of that currency. */
  readonly moneyDigits: number;
}

/** Why books may lack rows. */
export interface BooksDoubt {
  readonly reason: string;
  /** Whether the rows contradict each other. If not, a broker may have archived the oldest ones. */
  readonly isContradiction: boolean;
}

/** An order is set up and done some time before its last deal, or after its first. */
const edgeS = 86_400;

/**
 * Why the history may not be loaded; null if it is proven whole: its deals sum up to the balance, and its orders are those of its
 * deals. An order that was cancelled before it was filled leaves nothing else, so it is not proven.
 */
export function booksDoubt({ balances, moneyDigits, orders, deals, allDeals, fromS }: AccountBooks): BooksDoubt | null {
  const money = (amount: number): string => moneyText(amount, moneyDigits);
  const [balance = 0] = balances;
  if (allDeals.length === 0 && balance !== 0) {
    return { reason: `the balance is ${money(balance)} and no deal is shown`, isContradiction: true };
  }
  const shown = new Set(orders.map(({ ticket }) => ticket));
  const lost = deals.find(({ order, time }) => order > 0 && time >= fromS + edgeS && !shown.has(order));
  if (lost)
    return { reason: `deal ${lost.ticket} is of order ${lost.order}, which is not shown`, isContradiction: true };
  if (balances.some((one) => sumUpTo(allDeals, one, moneyDigits))) return null;
  const sum = Decimal.sum(0, ...allDeals.map(balanceChange)).toNumber();
  const reason = `the balance is ${money(balance)}, and the deals of the history sum up to ${money(sum)}`;
  return { reason, isContradiction: false };
}

/** Rows of so many seconds before the newest one may still come. */
const presentS = 10;

/** How long books have been read without a change in their past. */
export class SteadyBooks {
  private before: { readonly sinceMs: number; readonly pastS: number; readonly rows: number } | null = null;

  /** A read failed, or the account is not explained. */
  interrupted(): void {
    this.before = null;
  }

  /**
   * @param nowMs monotonic
   * @returns milliseconds since the first of the reads in a row that showed the same past
   */
  note(books: AccountBooks, nowMs: number): number {
    const { before } = this;
    const times = timesOf(books);
    const isSame = before !== null && before.rows === countThrough(times, before.pastS);
    const pastS = times.reduce((newest, time) => Math.max(newest, time), 0) - presentS;
    this.before = { sinceMs: isSame ? before.sinceMs : nowMs, pastS, rows: countThrough(times, pastS) };
    return nowMs - this.before.sinceMs;
  }
}

function timesOf({ orders, allDeals }: AccountBooks): number[] {
  return [...orders.map(({ time_done }) => time_done), ...allDeals.map(({ time }) => time)].filter((time) => time > 0);
}

function countThrough(times: readonly number[], lastS: number): number {
  return times.filter((time) => time <= lastS).length;
}
