import type { DealRecord } from '@libs/gateway-client';
import type { Fill } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import { isTrade, realizedBy } from './deal-booking';
import type { StrategyRecord } from './records';

/** So many deals are kept; a terminal shows costs within seconds. */
const mostDeals = 50;

/** The record, which keeps what new fills brought. */
export function withAmounts(record: StrategyRecord, broker: string, fills: readonly Fill[]): StrategyRecord {
  const booked = fills.map(({ deal, position, realized }) => ({ broker, position, deal, realized }));
  return { ...record, lately: [...(record.lately ?? []), ...booked].slice(-mostDeals) };
}

/**
 * The record with what deals bring more than when they were booked: a terminal may show the commission and the fee of a deal later than
 * the deal. The same record if they bring what they did.
 */
export function withLateCosts(record: StrategyRecord, broker: string, deals: readonly DealRecord[]): StrategyRecord {
  const shown = new Map(deals.filter(isTrade).map((deal) => [deal.ticket, realizedBy(deal)]));
  let late = new Decimal(0);
  const lately = (record.lately ?? []).map((booked) => {
    const now = booked.broker === broker ? shown.get(booked.deal) : undefined;
    if (now === undefined || now.equals(booked.realized)) return booked;
    late = late.plus(now).minus(booked.realized);
    return { ...booked, realized: now.toNumber() };
  });
  if (late.isZero()) return record;
  const plus = (from: string): string => late.plus(from).toString();
  const { realizedOn: by } = record;
  const realizedOn = by ? { realizedOn: { ...by, [broker]: plus(by[broker] ?? '0') } } : {};
  return { ...record, lately, realized: plus(record.realized), ...realizedOn };
}
