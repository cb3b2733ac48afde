import type { DealRow } from '../history/deal-row';
import type { TradeEvent } from '../streams/trade-event';
import { tradeNotification } from './trade-notifications';

const digits = { of: (symbol: string) => (symbol === 'EURUSD' ? 5 : undefined), money: 2 };
const base = { seq: 7, login: 1, server: 'Broker-Demo', recorded_at: '2026-01-07T10:00:00.000Z', complete: true };

describe('the message of a trade event', () => {
  it('names the deals of a position that opened and closed between two reads of the account', () => {
    const subject = { ticket: 5, symbol: 'EURUSD', magic: 9, position: null, deals: [{ ticket: 8 }] as DealRow[] };
    const closed: TradeEvent = { ...base, ...subject, event: 'position', action: 'closed' };
    expect(tradeNotification(closed, digits)).toMatchObject({
      id: 'trade-1-7',
      text: 'position 5 closed: EURUSD, by deals 8, magic 9',
    });
  });

  it('has prices with the digits of the symbol, volumes without noise, and money in cents', () => {
    const costs = { commission: -0.7, swap: 0, fee: 0 };
    const deal = { type_str: 'BUY', entry_str: 'OUT', volume: 0.1 + 0.2, symbol: 'EURUSD', price: 1.1, profit: -2.5 };
    const added: TradeEvent = { ...base, event: 'deal', action: 'added', ticket: 8, symbol: 'EURUSD', magic: 9 };
    expect(tradeNotification({ ...added, deal: { ...deal, ...costs } as DealRow }, digits).text).toBe(
      'deal 8 added: BUY OUT 0.3 EURUSD at 1.10000, profit -2.50, commission -0.70, swap 0.00, fee 0.00, magic 9',
    );
  });
});
