import fc from 'fast-check';
import { DealEntry, DealType, type TradeDeal } from '@libs/terminal-client';
import { summarizeLegs, type PositionSummary } from './position-summary';

/** Of deals without a reversal. */
function summarizePosition(deals: readonly TradeDeal[]): PositionSummary {
  const [leg, ...others] = summarizeLegs(deals);
  if (leg === undefined || others.length > 0) throw new Error('one leg was expected');
  return leg;
}

let ticket = 0;

function deal(type: number, volume: number, price: number, more: Partial<TradeDeal> = {}): TradeDeal {
  ticket += 1;
  const money = { commission: 0, swap: 0, profit: 0, fee: 0 };
  const facts = { ticket, order: ticket, time: ticket, time_msc: ticket * 1_000, position_id: 1, reason: 3 };
  const names = { symbol: 'EURUSD', comment: '', external_id: '' };
  return { ...facts, ...names, ...money, type, entry: DealEntry.IN, magic: 7, volume, price, ...more };
}

describe('the summary of the deals of a position', () => {
  it('is open while volume remains', () => {
    const deals = [deal(DealType.BUY, 0.3, 1.1), deal(DealType.SELL, 0.1, 1.2, { profit: 10 })];
    expect(summarizePosition(deals)).toMatchObject({
      volume_opened: 0.3,
      volume_closed: 0.1,
      closed: false,
      time_close: null,
      profit: 10,
    });
  });

  it('weighs the prices by volume and adds money without a binary remainder', () => {
    const costs = { commission: -0.1, swap: -0.2, fee: -0.05 };
    const summary = summarizePosition([
      deal(DealType.BUY, 0.1, 1.1, costs),
      deal(DealType.BUY, 0.2, 1.4, costs),
      deal(DealType.SELL, 0.3, 1.5, { ...costs, entry: DealEntry.OUT, profit: 0.3 }),
    ]);
    expect(summary).toMatchObject({ price_open: 1.3, price_close: 1.5, closed: true, magic: 7 });
    expect(summary).toMatchObject({ profit: 0.3, commission: -0.3, swap: -0.6, fee: -0.15, deals: 3 });
  });

  it('has a leg for each side of a reversal, with the prices that each traded at', () => {
    const costs = { commission: -3, swap: -1, fee: -0.3 };
    const deals = [
      deal(DealType.BUY, 1, 1.1001, { commission: -1.5 }),
      deal(DealType.SELL, 3, 1.05, { ...costs, entry: DealEntry.INOUT, profit: -5_010, magic: 8 }),
      deal(DealType.BUY, 2, 1.0501, { entry: DealEntry.OUT, profit: -20 }),
    ];
    const [first, second] = summarizeLegs(deals);
    expect(first).toMatchObject({ type: 0, volume_opened: 1, volume_closed: 1, price_open: 1.1001, price_close: 1.05 });
    expect(first).toMatchObject({
      closed: true,
      profit: -5_010,
      commission: -2.5,
      swap: -1,
      fee: -0.1,
      magic: 7,
      deals: 2,
    });
    expect(first?.time_close).toBe(deals[1]?.time);
    expect(second).toMatchObject({
      type: 1,
      volume_opened: 2,
      volume_closed: 2,
      price_open: 1.05,
      price_close: 1.0501,
    });
    expect(second).toMatchObject({ closed: true, profit: -20, commission: -2, swap: 0, fee: -0.2, magic: 8, deals: 2 });
    expect([first?.ticket, second?.ticket]).toEqual([deals[0]?.order, deals[1]?.order]);
  });

  it('has the legs of a reversal as it happened, though the clock of the server was set back after it', () => {
    const deals = [deal(DealType.SELL, 0.1, 1.1), deal(DealType.BUY, 0.2, 1.2), deal(DealType.SELL, 0.1, 1.3)];
    const [first, second, third] = deals as [TradeDeal, TradeDeal, TradeDeal];
    const legs = summarizeLegs([{ ...third, time_msc: first.time_msc - 3_600_000 }, first, second]);
    expect(legs.map(({ price_open, price_close }) => [price_open, price_close])).toEqual([
      [1.1, 1.2],
      [1.2, 1.3],
    ]);
  });

  it('ignores the volume, but not the money, of deals that are not trades', () => {
    const deals = [deal(DealType.BUY, 0.1, 1.1), deal(DealType.COMMISSION, 0, 0, { profit: -1 })];
    expect(summarizePosition(deals)).toMatchObject({ volume_opened: 0.1, profit: -1, price_open: 1.1 });
  });

  it('never closes more than was opened, leaves at most the last leg open, and loses no money', () => {
    const trade = fc.record({
      buy: fc.boolean(),
      lots: fc.integer({ min: 1, max: 50 }),
      cents: fc.integer({ min: -500, max: 500 }),
    });
    fc.assert(
      fc.property(fc.array(trade, { minLength: 1 }), (trades) => {
        const deals = trades.map(({ buy, lots, cents }) => {
          const costs = { profit: cents / 100, commission: cents / 100, swap: cents / 100, fee: cents / 100 };
          return deal(buy ? DealType.BUY : DealType.SELL, lots / 100, 1.1, costs);
        });
        const legs = summarizeLegs(deals);
        const net = trades.reduce((sum, { buy, lots }) => sum + (buy ? lots : -lots), 0);
        const last = legs.at(-1);
        expect(Math.round(((last?.volume_opened ?? 0) - (last?.volume_closed ?? 0)) * 100)).toBe(Math.abs(net));
        expect(legs.map(({ closed }) => closed)).toEqual(legs.map((leg) => leg !== last || net === 0));
        const cents = trades.reduce((sum, trade) => sum + trade.cents, 0);
        for (const name of ['profit', 'commission', 'swap', 'fee'] as const)
          expect(Math.round(legs.reduce((sum, leg) => sum + leg[name], 0) * 100)).toBe(cents);
      }),
    );
  });
});
