import {
  DealEntry,
  OrderState,
  OrderType,
  tradeRequest,
  type TradeDeal,
  type TradeOrder,
  type TradePosition,
} from '@libs/terminal-client';
import type { IntentRecord } from '../trade-core/journal-records';
import { tagOfKey } from '../trade-journal/key-marks';
import type { BrokerSnapshot } from './broker-snapshot';
import { againstDenial } from './denial';
import type { Surroundings } from './find-outcome';

const sentMsc = 100_000;
const open: IntentRecord = {
  ...{ id: 'a/0', key: 'a', purpose: 'open', serverTimeMsc: sentMsc, positionId: 0, positionVolume: 0 },
  request: tradeRequest({ action: 1, symbol: 'EURUSD', volume: 0.1, type: OrderType.BUY, magic: 7, comment: 'bot' }),
  ...{ createdAtMs: 0, outcome: { kind: 'pending' } },
};
const close: IntentRecord = {
  ...open,
  purpose: 'close',
  request: { ...open.request, type: OrderType.SELL, position: 5 },
  ...{ positionId: 5, positionVolume: 0.1 },
};
const order = (changes: Partial<TradeOrder> = {}): TradeOrder => {
  const facts = { ticket: 9, symbol: 'EURUSD', type: OrderType.BUY, volume_initial: 0.1, volume_current: 0, reason: 3 };
  const at = { time_setup_msc: sentMsc + 500, state: OrderState.FILLED, comment: 'bot', magic: 7, position_id: 9 };
  return { ...facts, ...at, ...changes } as TradeOrder;
};
const deal = (changes: Partial<TradeDeal> = {}): TradeDeal => {
  const facts = { ticket: 10, order: 9, symbol: 'EURUSD', type: 0, entry: DealEntry.IN, volume: 0.1, reason: 3 };
  return { ...facts, time_msc: sentMsc + 500, comment: 'bot', position_id: 9, ...changes } as TradeDeal;
};
const position = (changes: Partial<TradePosition> = {}): TradePosition => {
  const facts = { ticket: 5, identifier: 5, symbol: 'EURUSD', type: 0, volume: 0.1, comment: '' };
  return { ...facts, time_msc: 1_000, ...changes } as TradePosition;
};
const nothing: BrokerSnapshot = { positions: [], orders: [], historyOrders: [], deals: [] };
const alone: Surroundings = { claimOf: () => undefined, underWay: [], rivals: [], acknowledged: [], laterChanges: [] };
const owned: Surroundings = { ...alone, claimOf: () => ({ intentId: 'b/0', clientOrderId: 'b' }) };

describe('that a lost opening did nothing', () => {
  it('is contradicted by nothing on an account without a trace', () => {
    expect(againstDenial(open, nothing, alone)).toBeNull();
    expect(againstDenial(open, { ...nothing, positions: [position()] }, alone)).toBeNull();
  });

  it.each<[string, BrokerSnapshot]>([
    [
      'an order with another magic, reason and comment',
      { ...nothing, historyOrders: [order({ magic: 0, reason: 0, comment: '' })] },
    ],
    [
      'an order that is three seconds too early',
      { ...nothing, historyOrders: [order({ time_setup_msc: sentMsc - 3_000 })] },
    ],
    ['an order with the noise of a volume', { ...nothing, orders: [order({ volume_initial: 0.100000001 })] }],
    ['a deal whose order is in no list', { ...nothing, deals: [deal()] }],
    ['a part of it', { ...nothing, deals: [deal({ volume: 0.04 })] }],
    [
      'a position that no history explains',
      { ...nothing, positions: [position({ ticket: 9, identifier: 9, time_msc: sentMsc })] },
    ],
  ])('is contradicted by %s', (_case, broker) => {
    expect(againstDenial(open, broker, alone)).toMatch(/^\d+ may be its effect/);
    expect(againstDenial(open, broker, owned)).toBeNull();
  });

  it.each<[string, Partial<TradeOrder>]>([
    ['of another symbol', { symbol: 'GBPUSD' }],
    ['of the other side', { type: OrderType.SELL }],
    ['of another volume', { volume_initial: 0.2 }],
    ['of long before', { time_setup_msc: sentMsc - 60_000 }],
    ['by a stop loss', { reason: 4 }],
    ['with the tag of another key', { comment: tagOfKey('other') }],
    ['that the broker refused', { state: OrderState.REJECTED, volume_current: 0.1 }],
  ])('is not contradicted by an order %s', (_case, changes) => {
    expect(againstDenial(open, { ...nothing, historyOrders: [order(changes)] }, alone)).toBeNull();
  });

  it('is contradicted by what has its own tag, though the clock of the server was set back by an hour since', () => {
    const comment = tagOfKey('a');
    const tagged = { ...open, request: { ...open.request, comment } };
    const early = sentMsc - 3_600_000;
    for (const broker of [
      { ...nothing, historyOrders: [order({ comment, time_setup_msc: early })] },
      { ...nothing, deals: [deal({ comment, time_msc: early })] },
      { ...nothing, positions: [position({ comment, time_msc: early, ticket: 9, identifier: 9 })] },
    ]) {
      expect(againstDenial(tagged, broker, alone)).toMatch(/^9 may be its effect/);
      expect(againstDenial(tagged, broker, owned)).toBeNull();
    }
  });

  it('is contradicted by what has its own tag, though the rest differs', () => {
    const tag = tagOfKey('a');
    const tagged = { ...open, request: { ...open.request, comment: tag } };
    const at = { comment: tag, time_msc: sentMsc + 500 };
    for (const broker of [
      { ...nothing, historyOrders: [order({ comment: tag, magic: 0, reason: 0 })] },
      { ...nothing, deals: [deal({ ...at, volume: 0.04 })] },
      { ...nothing, positions: [position({ ...at, ticket: 9, identifier: 9, volume: 0.04 })] },
    ])
      expect(againstDenial(tagged, broker, alone)).toMatch(/^9 may be its effect/);
  });

  it.each(['EURUSD.r', 'mEURUSD'])('is contradicted by what is shown under the name of %s since', (symbol) => {
    for (const broker of [
      { ...nothing, historyOrders: [order({ symbol })] },
      { ...nothing, orders: [order({ symbol, comment: '' })] },
      { ...nothing, deals: [deal({ symbol })] },
      { ...nothing, positions: [position({ symbol, ticket: 9, identifier: 9, time_msc: sentMsc })] },
    ])
      expect(againstDenial(open, broker, alone)).toMatch(/^9 may be its effect/);
  });

  it('is not contradicted by an order that has the comment of another send', () => {
    const other = { ...open, id: 'b/0', request: { ...open.request, comment: 'mine' } };
    const broker = { ...nothing, historyOrders: [order({ comment: 'mine' })] };
    expect(againstDenial(open, broker, { ...alone, acknowledged: [other] })).toBeNull();
  });
});

describe('that a lost close did nothing', () => {
  const exit = deal({ type: 1, entry: DealEntry.OUT, position_id: 5, volume: 0.1 });

  it('needs the position with the volume of before', () => {
    expect(againstDenial(close, { ...nothing, positions: [position()] }, alone)).toBeNull();
    expect(againstDenial(close, { ...nothing, positions: [position({ volume: 0.06 })] }, alone)).toMatch(
      /has 0.06 lots/,
    );
    expect(againstDenial(close, nothing, alone)).toMatch(/position 5 is gone, which no other request explains/);
    expect(againstDenial(close, { ...nothing, positions: [position({ type: 1 })] }, alone)).toMatch(/position 5 has/);
  });

  it('needs the volume of before to the smallest step that a symbol may have', () => {
    const part = { ...close, purpose: 'close_partial' as const, request: { ...close.request, volume: 0.003 } };
    const left = { ...nothing, positions: [position({ volume: 0.097 })] };
    expect(againstDenial(part, left, alone)).toMatch(/position 5 has 0.097 lots, which no other request explains/);
    const noise = { ...nothing, positions: [position({ volume: 0.0999999999 })] };
    expect(againstDenial(part, noise, alone)).toBeNull();
  });

  it('names the order that closed it, unless another request did', () => {
    expect(againstDenial(close, { ...nothing, deals: [exit] }, alone)).toMatch(/is gone by order 9/);
    expect(againstDenial(close, { ...nothing, deals: [exit] }, owned)).toBeNull();
    // What was closed before the send is in the volume of before.
    const earlier = { ...exit, time_msc: sentMsc - 1_000 };
    expect(againstDenial(close, { ...nothing, deals: [earlier] }, owned)).toMatch(/is gone/);
  });

  it('is contradicted by an exit that no other request made, also if an entry made up for its volume', () => {
    const exits = { ...nothing, positions: [position()], deals: [exit] };
    expect(againstDenial(close, exits, alone)).toMatch(/position 5 has 0.1 lots by order 9/);
    const renamed = { ...exits, deals: [{ ...exit, symbol: 'EURUSD.r' }] };
    expect(againstDenial(close, renamed, alone)).toMatch(/position 5 has 0.1 lots by order 9/);
    expect(againstDenial(close, exits, owned)).toBeNull();
    expect(againstDenial(close, { ...exits, deals: [{ ...exit, reason: 4 }] }, alone)).toBeNull();
    expect(againstDenial(close, { ...exits, deals: [{ ...exit, time_msc: sentMsc - 60_000 }] }, alone)).toBeNull();
  });
});

describe('that a lost close by did nothing', () => {
  const opposite = { positionId: 6, positionVolume: 0.1, magic: 0 };
  const closeBy: IntentRecord = {
    ...{ ...open, purpose: 'close_by', positionId: 5, positionVolume: 0.3 },
    request: tradeRequest({ action: 10, symbol: 'EURUSD', position: 5, position_by: 6 }),
    by: opposite,
  };
  const long = position({ volume: 0.3 });
  const short = position({ ticket: 6, identifier: 6, type: 1 });
  const both = { ...nothing, positions: [long, short] };
  const exit = deal({ entry: DealEntry.OUT_BY, position_id: 6 });
  const sent = order({ type: OrderType.CLOSE_BY, position_id: 5, position_by_id: 6 });

  it('needs both positions with their volumes of before, less what was closed in other ways', () => {
    expect(againstDenial(closeBy, both, alone)).toBeNull();
    expect(againstDenial(closeBy, { ...nothing, positions: [long] }, alone)).toMatch(/position 6 has less/);
    expect(againstDenial(closeBy, { ...nothing, positions: [{ ...long, volume: 0.2 }, short] }, alone)).toMatch(
      /position 5 has less/,
    );
    const less = { ...long, volume: 0.299 };
    expect(againstDenial(closeBy, { ...nothing, positions: [less, short] }, alone)).toMatch(/position 5 has less/);
    const byLevel = { ...exit, entry: DealEntry.OUT, reason: 4 };
    expect(againstDenial(closeBy, { ...nothing, positions: [long], deals: [byLevel] }, alone)).toBeNull();
    expect(againstDenial({ ...closeBy, by: { ...opposite, positionId: 0 } }, both, alone)).toMatch(/not known/);
  });

  it('is contradicted by an order or deal of either position that no other request made', () => {
    expect(againstDenial(closeBy, { ...both, historyOrders: [sent] }, alone)).toMatch(/^9 may be its effect/);
    expect(againstDenial(closeBy, { ...both, deals: [exit] }, alone)).toMatch(/^9 may be its effect/);
    const byOther = { ...nothing, positions: [long], historyOrders: [sent], deals: [exit] };
    expect(againstDenial(closeBy, byOther, owned)).toBeNull();
    const refused = { ...sent, state: OrderState.REJECTED, volume_current: 0.1 };
    expect(againstDenial(closeBy, { ...both, orders: [refused] }, alone)).toBeNull();
  });
});

describe('that a lost change of an order did nothing', () => {
  const change: IntentRecord = { ...open, purpose: 'modify_order', request: { ...open.request, order: 3 } };
  const ended = order({ ticket: 3, state: OrderState.CANCELED, time_setup_msc: 1_000 });

  it('is contradicted by an order in place of the one that was changed', () => {
    expect(againstDenial(change, { ...nothing, orders: [order({ ticket: 3 })] }, alone)).toBeNull();
    expect(againstDenial(change, { ...nothing, historyOrders: [ended] }, alone)).toBeNull();
    const replaced = { ...nothing, historyOrders: [ended], orders: [order({ ticket: 12 })] };
    expect(againstDenial(change, replaced, alone)).toMatch(/^12 may be its effect/);
    expect(againstDenial(change, nothing, alone)).toMatch(/order 3 is in no list/);
  });
});
