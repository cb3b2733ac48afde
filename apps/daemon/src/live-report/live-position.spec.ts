import type { DealRecord } from '@libs/gateway-client';
import { DealEntry, DealType } from '@libs/trade-constants';
import { liveTrades, tradeOf, withinSpan } from './live-trade';
import { isWhole, positionsOf, UnknownZoneError, type LivePosition } from './live-position';

const owner = { strategy: 'ema', knownBy: 'records', stream: 'main', intentId: 'i1' } as const;
const of = { gateway: 'demo', ticket: 7, symbol: 'EURUSD' };
const minute = (value: number) => Date.UTC(2026, 0, 5, 10, value);
let tickets = 0;
const deal = (at: number, entry: number, type: number, volume: number, more: Partial<DealRecord> = {}): DealRecord => ({
  ...{ ticket: ++tickets, order: tickets, time: 0, time_msc: 0, time_utc: new Date(minute(at)).toISOString() },
  ...{ type, entry, magic: 41, position_id: 7, reason: 3, volume, price: 1.1, commission: -0.35, swap: 0 },
  ...{ profit: 0, fee: 0, symbol: 'EURUSD', comment: '', external_id: '', client_order_id: null, ...more },
});
const [buy, sell] = [DealType.BUY, DealType.SELL];
const positions = (...deals: readonly DealRecord[]): readonly LivePosition[] => positionsOf(owner, of, deals, null);
const trades = (...deals: readonly DealRecord[]) => positions(...deals).map(tradeOf);

describe('a trade of a live strategy', () => {
  it('is a position with all its deals: prices by volume, results to the cent', () => {
    const [trade] = trades(
      deal(0, DealEntry.IN, buy, 0.2, { price: 1.1 }),
      deal(1, DealEntry.IN, buy, 0.1, { price: 1.13 }),
      deal(2, DealEntry.OUT, sell, 0.1, { price: 1.2, profit: 10.1, swap: -0.02 }),
      deal(3, DealEntry.OUT, sell, 0.2, { price: 1.23, profit: 0.2, reason: 4, fee: -0.1 }),
    );
    expect(trade).toMatchObject({
      ...{ side: 'buy', volume: 0.3, entryPrice: 1.11, exitPrice: 1.22, exitReason: 'sl', intentId: 'i1' },
      ...{ openedMs: minute(0), closedMs: minute(3), realized: 8.78, commission: -1.5, swap: -0.02, floating: null },
    });
  });

  it('has the tag of its entry, and so have its fills', () => {
    const deals = [deal(0, DealEntry.IN, buy, 0.1), deal(1, DealEntry.OUT, sell, 0.1)];
    const [tagged] = positionsOf({ ...owner, tag: 'breakout' }, of, deals, null);
    expect(tagged?.fills.map(({ tag }) => tag)).toEqual(['breakout', 'breakout']);
    expect([tagged && tradeOf(tagged).tag, trades(...deals)[0]?.tag]).toEqual(['breakout', null]);
  });

  it('is open while less was closed than opened, with its result so far', () => {
    const [trade] = trades(deal(0, DealEntry.IN, sell, 0.2), deal(1, DealEntry.OUT, buy, 0.1, { profit: 5 }));
    expect(trade).toMatchObject({ side: 'sell', closedMs: null, exitPrice: null, exitReason: null, realized: 4.3 });
  });

  it('ends with a reversal, which opens another of the rest', () => {
    const found = trades(
      deal(0, DealEntry.IN, buy, 0.1),
      deal(1, DealEntry.INOUT, sell, 0.3, { price: 1.2, profit: 100 }),
      deal(2, DealEntry.OUT, buy, 0.2, { price: 1.15, profit: 50 }),
    );
    expect(found).toMatchObject([
      { side: 'buy', volume: 0.1, closedMs: minute(1), realized: 99.3 },
      { side: 'sell', volume: 0.2, openedMs: minute(1), closedMs: minute(2), realized: 49.65 },
    ]);
  });

  it('is refused when its deals have no time in UTC, which its server time is not', () => {
    expect(() => trades(deal(0, DealEntry.IN, buy, 0.1, { time_utc: null }))).toThrow(UnknownZoneError);
  });
});

describe('the trades of a period', () => {
  const closed = (ticket: number, from: number, to: number): LivePosition[] =>
    positions(deal(from, DealEntry.IN, buy, 0.1), deal(to, DealEntry.OUT, sell, 0.1)).map((position) => {
      return { ...position, ticket };
    });
  const all = [...closed(1, 0, 5), ...closed(2, 4, 12), ...closed(3, 12, 30), ...closed(4, 25, 26)];
  const span = { fromMs: minute(10), toMs: minute(20), isUntilNow: false };

  it('are those that were closed in it and those that were open at its end', () => {
    const found = liveTrades(withinSpan(all, span));
    expect(found.map(({ position, closedMs }) => [position, closedMs])).toEqual([
      [2, minute(12)],
      [3, null],
    ]);
    const now = liveTrades(withinSpan(all, { ...span, isUntilNow: true }));
    // The clock of the market may be ahead.
    expect(now.map(({ position }) => position)).toEqual([2, 4, 3]);
  });
});

describe('the deals of a position', () => {
  const [into, part, rest] = [
    deal(0, DealEntry.IN, buy, 0.2),
    deal(1, DealEntry.OUT, sell, 0.1),
    deal(2, DealEntry.OUT, sell, 0.1),
  ];
  it.each([
    [true, false, [into, part, rest]],
    [true, true, [into, part]],
    [false, true, [into, part, rest]],
    [false, false, [into, part]],
    [false, false, [part, rest]],
    [false, true, []],
  ])('are whole: %s, for a position that is open: %s', (whole, isOpen, deals) => {
    expect(isWhole(deals, isOpen)).toBe(whole);
  });
});
