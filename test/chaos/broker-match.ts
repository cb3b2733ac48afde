import type { TradeDeal, TradeOrder } from '@libs/terminal-client';
import type { SettledTrade } from './chaos-client';

/** Everything in which the broker and the clients disagree, in words; empty if they agree. */
export function mismatches(
  settled: readonly SettledTrade[],
  broker: { readonly deals: readonly TradeDeal[]; readonly orders: readonly TradeOrder[] },
): string[] {
  const trades = broker.deals.filter(({ type }) => type <= 1);
  const done = settled.filter(({ status }) => status === 200);
  return [
    ...oneToOne(
      'deal',
      done.filter(({ kind, answer }) => kind === 'open' || (kind === 'close' && answer.already_closed !== true)),
      trades.map(({ order }) => order),
    ),
    ...oneToOne(
      'pending order',
      done.filter(({ kind }) => kind === 'pending'),
      broker.orders.filter(({ type }) => type >= 2 && type <= 7).map(({ ticket }) => ticket),
    ),
  ];
}

/** Each acknowledged request stands for one order ticket, and each ticket for one request. */
function oneToOne(what: string, acknowledged: readonly SettledTrade[], tickets: readonly number[]): string[] {
  const problems: string[] = [];
  const atBroker = countOf(tickets);
  const keys = new Map<number, string>();
  for (const { key, answer } of acknowledged) {
    const ticket = answer.result?.order ?? null;
    if (ticket === null) problems.push(`${key}: acknowledged without an order ticket`);
    else if (keys.has(ticket)) problems.push(`${key}: order ${ticket} is also that of ${keys.get(ticket)}`);
    else {
      keys.set(ticket, key);
      if (!atBroker.has(ticket)) problems.push(`${key}: lost, the broker has no ${what} of order ${ticket}`);
    }
  }
  for (const [ticket, count] of atBroker) {
    if (count > 1) problems.push(`order ${ticket} has ${count} entries for one ${what}`);
    if (!keys.has(ticket)) problems.push(`${what} of order ${ticket} was never acknowledged to anybody`);
  }
  return problems;
}

function countOf(tickets: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const ticket of tickets) counts.set(ticket, (counts.get(ticket) ?? 0) + 1);
  return counts;
}
