import type { TradeEventRecord } from './stream-records';
import { tradeEventText } from './trade-event-text';

const digits = { price: 5, money: 2 };
const base = { seq: 7, recorded_at: '', login: 1, server: 's', ticket: 5, symbol: 'EURUSD', magic: 9 };

describe('a trade event in words', () => {
  it('has the volume, the price and the profit of a deal', () => {
    const deal = { volume: 0.1, price: 1.17, profit: -2.5 } as TradeEventRecord['deal'];
    expect(tradeEventText({ ...base, event: 'deal', action: 'added', ...(deal && { deal }) }, digits)).toBe(
      'deal added  EURUSD  ticket 5  magic 9  0.1 lots at 1.17000  profit -2.50',
    );
  });

  it('gives the opening price of a position as such, and the deals that closed it at theirs', () => {
    const position = { volume: 0.2, price_open: 1.15 } as TradeEventRecord['position'];
    const deal = { volume: 0.2, price: 1.162, profit: 24 } as TradeEventRecord['deal'];
    const event = { ...base, event: 'position', ...(position && { position }) } as const;
    expect(tradeEventText({ ...event, action: 'opened' }, digits)).toBe(
      'position opened  EURUSD  ticket 5  magic 9  0.2 lots from 1.15000',
    );
    expect(tradeEventText({ ...event, action: 'closed', ...(deal && { deals: [deal] }) }, digits)).toBe(
      'position closed  EURUSD  ticket 5  magic 9  0.2 lots from 1.15000  closed at 1.16200  profit 24.00',
    );
    expect(tradeEventText({ ...event, action: 'closed' })).not.toContain('at 1.15');
  });

  it('has the volume of an order that is closed and its rest, and no price of 0', () => {
    const order = { volume_initial: 0.2, volume_current: 0, price_open: 0 } as TradeEventRecord['order'];
    expect(tradeEventText({ ...base, event: 'order', action: 'closed', ...(order && { order }) })).toBe(
      'order closed  EURUSD  ticket 5  magic 9  0.2 lots, all filled',
    );
  });

  it('has the price of an order that waits for it, and none of a market order', () => {
    const added = (price_open: number): string => {
      const order = { volume_initial: 0.2, volume_current: 0.2, price_open } as TradeEventRecord['order'];
      return tradeEventText({ ...base, event: 'order', action: 'added', ...(order && { order }) }, digits);
    };
    expect(added(1.15)).toBe('order added  EURUSD  ticket 5  magic 9  0.2 lots at 1.15000');
    expect(added(0)).toBe('order added  EURUSD  ticket 5  magic 9  0.2 lots');
  });

  it('has no volume of a position that opened and closed between two reads, and says what is not known', () => {
    expect(
      tradeEventText({ ...base, event: 'position', action: 'partially_closed', position: null, complete: false }),
    ).toBe('position partially closed  EURUSD  ticket 5  magic 9  the history does not show why');
  });
});
