import fc from 'fast-check';
import { DealEntry, DealType, type TradeDeal } from '@libs/terminal-client';
import { summarizePosition } from './position-summary';

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

  it('counts a reversal on both sides', () => {
    const summary = summarizePosition([deal(DealType.BUY, 0.1, 1.1), deal(DealType.SELL, 0.3, 1.2)]);
    expect(summary).toMatchObject({ volume_opened: 0.3, volume_closed: 0.1, closed: false, price_close: 1.2 });
  });

  it('counts a reversal as it happened, though the clock of the server was set back after it', () => {
    const deals = [deal(DealType.SELL, 0.1, 1.1), deal(DealType.BUY, 0.2, 1.2), deal(DealType.SELL, 0.1, 1.3)];
    const [first, second, third] = deals as [TradeDeal, TradeDeal, TradeDeal];
    const summary = summarizePosition([{ ...third, time_msc: first.time_msc - 3_600_000 }, first, second]);
    expect(summary).toMatchObject({ price_open: 1.15, price_close: 1.25, closed: true });
  });

  it('ignores the volume, but not the money, of deals that are not trades', () => {
    const deals = [deal(DealType.BUY, 0.1, 1.1), deal(DealType.COMMISSION, 0, 0, { profit: -1 })];
    expect(summarizePosition(deals)).toMatchObject({ volume_opened: 0.1, profit: -1, price_open: 1.1 });
  });

  it('never closes more than was opened, and is closed exactly when no volume remains', () => {
    const trade = fc.record({ buy: fc.boolean(), lots: fc.integer({ min: 1, max: 50 }) });
    fc.assert(
      fc.property(fc.array(trade, { minLength: 1 }), (trades) => {
        const deals = trades.map(({ buy, lots }) => deal(buy ? DealType.BUY : DealType.SELL, lots / 100, 1.1));
        const summary = summarizePosition(deals);
        const net = trades.reduce((sum, { buy, lots }) => sum + (buy ? lots : -lots), 0);
        expect(Math.round((summary.volume_opened - summary.volume_closed) * 100)).toBe(Math.abs(net));
        expect(summary.closed).toBe(net === 0);
      }),
    );
  });
});
