import type { TradeEventRecord } from './stream-records';
import { tradeEventText } from './trade-event-text';

const base = { seq: 7, recorded_at: '', login: 1, server: 's', ticket: 5, symbol: 'EURUSD', magic: 9 };

describe('a trade event in words', () => {
  it('has the volume, the price and the profit of a deal', () => {
    const deal = { volume: 0.1, price: 1.17, profit: -2.5 } as TradeEventRecord['deal'];
    expect(tradeEventText({ ...base, event: 'deal', action: 'added', ...(deal && { deal }) })).toBe(
      'deal added  EURUSD  ticket 5  magic 9  0.1 lots at 1.17  profit -2.5',
    );
  });

  it('has no volume of a position that opened and closed between two reads, and says what is not known', () => {
    expect(
      tradeEventText({ ...base, event: 'position', action: 'partially_closed', position: null, complete: false }),
    ).toBe('position partially closed  EURUSD  ticket 5  magic 9  the history does not show why');
  });
});
