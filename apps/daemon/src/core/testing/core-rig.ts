import type { DealRecord, OrderRecord, PositionRecord } from '@libs/gateway-client';
import { DealEntry, DealType, OrderType } from '@libs/trade-constants';
import { spec } from './spec';
import { AccountRows } from '../account-rows';
import type { CoreEffect } from '../core-effect';
import type { CoreEventBody, CoreMoment } from '../core-event';
import { startOf } from '../core-state';
import { blankRecord, type OwnedTicket, type StrategyRecord } from '../records';
import { StrategyCore } from '../strategy-core';
import type { StrategySpec } from '../strategy-spec';

const times = {
  time: 0,
  time_msc: 0,
  time_utc: null,
  client_order_id: null,
  symbol: 'EURUSD',
  comment: '',
  external_id: '',
};

/** A position as the account lists it. */
export const row = (ticket: number, changes: Partial<PositionRecord> = {}): PositionRecord => ({
  ...{ ...times, ticket, identifier: ticket, time_update: 0, time_update_msc: 0, type: 0, magic: 7, reason: 3 },
  ...{ volume: 0.1, price_open: 1.1, sl: 0, tp: 0, price_current: 1.1, swap: 0, profit: 0, ...changes },
});

/** A pending order as the account lists it. */
export const orderRow = (ticket: number, changes: Partial<OrderRecord> = {}): OrderRecord =>
  ({
    ...{ ticket, symbol: 'EURUSD', type: OrderType.BUY_LIMIT, volume_initial: 0.1, volume_current: 0.1, magic: 7 },
    ...{ price_open: 1.05, price_stoplimit: 0, sl: 1.04, tp: 1.2, position_id: 0, ...changes },
  }) as OrderRecord;

export const deal = (changes: Partial<DealRecord>): DealRecord => ({
  ...{ ...times, ticket: 100, order: 8, type: DealType.BUY, reason: 3, entry: DealEntry.IN, volume: 0.1, price: 1.1 },
  ...{ profit: 0, commission: 0, swap: 0, fee: 0, magic: 7, position_id: 8, ...changes },
});

/** A long position of 0.1 lots in the books. */
export const position = (ticket: number, changes: Partial<OwnedTicket> = {}): OwnedTicket => ({
  ...{ strategy: 'ema', broker: 'demo', ticket, stream: 'eur', symbol: 'EURUSD', intentId: `i${ticket}` },
  ...{ deals: [ticket], volumeIn: '0.1', volumeOut: '0', side: 'buy', working: false, closed: false, ...changes },
});

/** A pending order in the books. */
export const pending = (ticket: number, changes: Partial<OwnedTicket> = {}): OwnedTicket => {
  const { side: _, ...rest } = position(ticket, { deals: [], volumeIn: '0', working: true, ...changes });
  return rest;
};

/** A core, and what its events require. */
export class CoreRig {
  readonly core: StrategyCore;
  at: CoreMoment = { nowMs: 5, monotonicMs: 5, isStopping: false, journals: { demo: 'A' } };

  constructor(tickets: readonly OwnedTicket[], record: Partial<StrategyRecord> = {}, own: Partial<StrategySpec> = {}) {
    const of = { spec: { ...spec, ...own }, record: { ...blankRecord('ema'), ...record }, tickets, stacks: [] };
    this.core = new StrategyCore(startOf({ ...of, kept: null }));
  }

  does(event: CoreEventBody): CoreEffect[] {
    const out: CoreEffect[] = [];
    this.core.handle({ ...event, at: this.at }, out);
    return out;
  }

  sees(positions: readonly PositionRecord[], orders: readonly OrderRecord[] = []): CoreEffect[] {
    return this.does({ type: 'rows', broker: 'demo', rows: new AccountRows(positions, orders) });
  }

  /** What an event has stored. */
  stores(event: CoreEventBody): unknown[] {
    return this.does(event).flatMap((effect) => (effect.type === 'persist' ? [effect.change] : []));
  }
}

export const kinds = (effects: readonly CoreEffect[]) => effects.map(({ type }) => type);
