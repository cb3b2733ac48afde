import type { DealRecord, PositionRecord } from '@libs/gateway-client';
import { DealEntry, DealType, TradeReason } from '@libs/trade-constants';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { bookDeals, exactTotal, isOver, isProfitDoubted, isWorking, realizedBy } from './deal-booking';
import type { OwnedTicket } from './records';

const amounts = fc.oneof(
  fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
  fc
    .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 0, max: 12 }))
    .map(([n, e]) => Number(`${n}e-${e}`)),
  fc.constantFrom(0, -0, 1e7, 9_999_999.99, -1e15, 1e-8, 1e-9, 1e21),
);

describe('an exact total', () => {
  it('has the text of the sum in decimals', () => {
    fc.assert(
      fc.property(fc.array(amounts), fc.array(amounts), (before, added) => {
        const decimals = (from: string, all: readonly number[]): string =>
          all.reduce((sum, amount) => sum.plus(amount), new Decimal(from)).toString();
        const from = decimals('0', before);
        expect(exactTotal(from, added)).toBe(decimals(from, added));
      }),
    );
  });

  it('keeps a text that is not the shortest of its number', () => {
    expect(exactTotal('1.10', [])).toBe('1.1');
    expect(exactTotal('0.1000000000000000055511151231257827', [1])).toBe('1.1000000000000000056');
  });
});

const times = { time: 0, time_msc: 0, time_utc: null, client_order_id: null, comment: '', external_id: '' };
const deal = (ticket: number, changes: Partial<DealRecord> = {}): DealRecord => ({
  ...{ ...times, ticket, order: 7, type: DealType.BUY, entry: DealEntry.IN, reason: TradeReason.EXPERT, volume: 0.1 },
  ...{ price: 1.1, profit: 0, commission: 0, swap: 0, fee: 0, magic: 7, position_id: 7, symbol: 'EURUSD', ...changes },
});
const ticket: OwnedTicket = {
  ...{ strategy: 'ema', broker: 'demo', ticket: 7, stream: 'eur', symbol: 'EURUSD', intentId: 'i1', deals: [] },
  ...{ volumeIn: '0', volumeOut: '0', working: false, closed: false },
};

describe('the deals of a position', () => {
  const booked = (owned: OwnedTicket, ...deals: readonly DealRecord[]) =>
    bookDeals(owned, deals, ({ ticket: of }) => `d${of}`);
  const out = { type: DealType.SELL, entry: DealEntry.OUT };
  const open: OwnedTicket = { ...ticket, deals: [1], volumeIn: '0.1', side: 'buy' };

  it('are booked once, in the order of their tickets', () => {
    const { owned, fills } = booked(ticket, deal(2, { ...out, volume: 0.04 }), deal(1));
    expect(owned).toEqual({ ...open, deals: [1, 2], volumeOut: '0.04' });
    expect(fills.map(({ deal: of, intentId, side, entry }) => [of, intentId, side, entry])).toEqual([
      [1, 'd1', 'buy', 'in'],
      [2, 'd2', 'sell', 'out'],
    ]);
    expect(booked(owned, deal(1), deal(2, { ...out, volume: 0.04 }))).toEqual({ owned, fills: [] });
    expect(booked(open)).toEqual({ owned: open, fills: [] });
  });

  it('reverse it', () => {
    const reversal = { type: DealType.SELL, entry: DealEntry.INOUT, volume: 0.3 };
    const { owned } = booked(open, deal(1), deal(2, reversal));
    expect(owned).toEqual({ ...open, deals: [1, 2], volumeIn: '0.3', volumeOut: '0.1', side: 'sell' });
    // A deal of before the reversal is shown late: all are counted again.
    const late = booked(owned, deal(0), deal(1), deal(2, reversal)).owned;
    expect(late).toMatchObject({ volumeIn: '0.3', volumeOut: '0.2', side: 'sell' });
  });

  it('are those of a trade: the balance alone is none', () => {
    expect(booked(open, deal(1), deal(3, { type: DealType.BALANCE, volume: 0 }))).toEqual({ owned: open, fills: [] });
  });

  it('show a close that was unread, and those that open do not', () => {
    const unread: OwnedTicket = { ...open, closeUnread: true };
    expect(booked(unread, deal(1), deal(2)).owned).toMatchObject({ closeUnread: true, volumeIn: '0.2' });
    expect(booked(unread, deal(1), deal(2, out)).owned).toEqual({ ...open, deals: [1, 2], volumeOut: '0.1' });
  });

  it('correct a ticket whose volumes or side are not those of its deals', () => {
    for (const wrong of [{ volumeIn: '0.2' }, { volumeOut: '0.1' }, { side: 'sell' }] as const) {
      expect(booked({ ...open, ...wrong }, deal(1))).toEqual({ owned: open, fills: [] });
    }
  });

  it('state their entry, reason, tag and result to the strategy', () => {
    const of = (changes: Partial<DealRecord>, tag?: string) =>
      booked(tag === undefined ? ticket : { ...ticket, tag }, deal(1, changes)).fills[0];
    const reasons = [TradeReason.SL, TradeReason.TP, TradeReason.SO, TradeReason.EXPERT, TradeReason.CLIENT];
    expect(reasons.map((reason) => of({ reason })?.reason)).toEqual(['sl', 'tp', 'stop_out', 'strategy', 'other']);
    const kinds = [DealEntry.IN, DealEntry.OUT, DealEntry.INOUT, DealEntry.OUT_BY];
    expect(kinds.map((entry) => of({ entry })?.entry)).toEqual(['in', 'out', 'inout', 'out_by']);
    expect([of({}, 'a')?.tag, of({})?.tag]).toEqual(['a', null]);
    const costs = [{}, { commission: -1 }, { swap: -2 }, { fee: -4 }, { commission: -1, swap: -2, fee: -4 }];
    expect(costs.map((cost) => of({ profit: 10, ...cost })?.realized)).toEqual([10, 9, 8, 6, 3]);
    expect(costs.map((cost) => realizedBy(deal(1, { profit: 10, ...cost })).toNumber())).toEqual([10, 9, 8, 6, 3]);
  });

  it('leave it over when all is closed, and nothing more can be opened', () => {
    const of = (changes: Partial<OwnedTicket>) => isOver({ ...ticket, volumeIn: '0.1', volumeOut: '0.1', ...changes });
    expect([of({}), of({ volumeOut: '0.2' }), of({ volumeOut: '0.10' })]).toEqual([true, true, true]);
    expect([of({ working: true }), of({ volumeOut: '0' }), of({ volumeOut: '0.05' })]).toEqual([false, false, false]);
    expect(of({ volumeIn: '0', volumeOut: '0' })).toBe(false);
    const { working: _, ...earlier } = ticket;
    expect([isWorking(earlier), isWorking({ ...earlier, volumeIn: '0.1' }), isWorking(ticket)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('a floating profit that its price contradicts', () => {
  const row = (price_current: number, profit: number, changes: Partial<PositionRecord> = {}): PositionRecord => ({
    ...{
      ...times,
      ticket: 7,
      identifier: 7,
      time_update: 0,
      time_update_msc: 0,
      type: 0,
      magic: 7,
      reason: 3,
      volume: 1,
    },
    ...{ price_open: 100, sl: 0, tp: 0, swap: 0, symbol: 'EURUSD', price_current, profit, ...changes },
  });
  const unknown = { profits: 0, accountProfit: null, looks: 0 };
  const isDoubted = (
    before: PositionRecord,
    now: PositionRecord,
    of: Parameters<typeof isProfitDoubted>[2] = unknown,
    moneyDigits?: number,
  ) => isProfitDoubted(before, now, of, moneyDigits);

  it('is doubted where the price stands, or moved by far less', () => {
    const before = row(110, 100);
    expect([isDoubted(before, row(110, 112)), isDoubted(before, row(110, 88))]).toEqual([true, true]);
    expect([isDoubted(before, row(110, 110)), isDoubted(before, row(110, 90))]).toEqual([false, false]);
    // A profit of 200 is expected, and as much again as the move is allowed.
    expect([isDoubted(before, row(120, 330)), isDoubted(before, row(120, 310))]).toEqual([true, false]);
  });

  it('is not doubted after a change of the position, nor where it had moved by nothing', () => {
    const before = row(110, 100);
    expect(isDoubted(before, row(110, 500, { volume: 2 }))).toBe(false);
    expect(isDoubted(before, row(110, 500, { price_open: 101 }))).toBe(false);
    expect([isDoubted(row(100, 0), row(101, 500)), isDoubted(row(100, 0), row(100, 500))]).toEqual([false, true]);
  });

  it('is rounded to the last digit of its currency', () => {
    // A profit of 0 yen may be one of 0.49, and a hundred times as much a hundred points later.
    const [before, now] = [row(100.01, 0), row(101, 49)];
    expect([isDoubted(before, now, unknown, 0), isDoubted(before, now)]).toEqual([false, true]);
    const [dinars, more] = [row(110, 0.1), row(110, 0.3)];
    expect([isDoubted(dinars, more, unknown, 3), isDoubted(dinars, more)]).toEqual([true, false]);
  });

  it('counts after a minute without an account, or once the account agrees with it', () => {
    const [before, now] = [row(110, 100), row(110, 500)];
    expect([0, 2, 58, 59].map((looks) => isDoubted(before, now, { ...unknown, looks }))).toEqual([
      ...[true, true, true],
      false,
    ]);
    const account = [150, 450, 350].map((accountProfit) =>
      isDoubted(before, now, { profits: 550, accountProfit, looks: 9 }),
    );
    expect(account).toEqual([true, false, false]);
  });
});
