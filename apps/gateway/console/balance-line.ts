import type { DealRecord } from '@libs/gateway-client';

/** A point of the balance: UTC milliseconds, and the balance from then on in the deposit currency. */
export type BalancePoint = readonly [atMs: number, balance: number];

type BookedDeal = Pick<DealRecord, 'ticket' | 'time_msc' | 'time_utc' | 'profit' | 'commission' | 'swap' | 'fee'>;

/**
 * The balance after each deal, reckoned back from the present one. Sums are in the smallest unit of the currency, so that
 * no rounding adds up.
 * @param balance after the last deal
 * @param deals in any order
 * @returns oldest first, the first point before all deals; empty if the time of a deal is not known in UTC
 */
export function balanceLine(balance: number, deals: readonly BookedDeal[], currencyDigits: number): BalancePoint[] {
  const unit = 10 ** currencyDigits;
  const newestFirst = [...deals].sort((a, b) => b.time_msc - a.time_msc || b.ticket - a.ticket);
  let units = Math.round(balance * unit);
  const points: BalancePoint[] = [];
  for (const deal of newestFirst) {
    if (deal.time_utc === null) return [];
    const atMs = Date.parse(deal.time_utc);
    points.push([atMs, units / unit]);
    units -= Math.round((deal.profit + deal.commission + deal.swap + deal.fee) * unit);
  }
  const oldest = points.at(-1);
  if (oldest !== undefined) points.push([oldest[0], units / unit]);
  return points.reverse();
}

/** The line up to now. The clock that says so may be behind that of the last deal: places on a chart only grow. */
export function withEnd(line: readonly BalancePoint[], nowMs: number, balance: number): readonly BalancePoint[] {
  return [...line, [Math.max(nowMs, line.at(-1)?.[0] ?? nowMs), balance]];
}
