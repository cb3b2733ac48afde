import type { DealRow } from '../history/deal-row';
import type { TradeEvent } from '../streams/trade-event';
import { tradeNotification } from './trade-notifications';

const base = { seq: 7, login: 1, server: 'Broker-Demo', recorded_at: '2026-01-07T10:00:00.000Z', complete: true };

describe('the message of a trade event', () => {
  it('names the deals of a position that opened and closed between two reads of the account', () => {
    const subject = { ticket: 5, symbol: 'EURUSD', magic: 9, position: null, deals: [{ ticket: 8 }] as DealRow[] };
    const closed: TradeEvent = { ...base, ...subject, event: 'position', action: 'closed' };
    expect(tradeNotification(closed)).toMatchObject({
      id: 'trade-1-7',
      text: 'position 5 closed: EURUSD, by deals 8, magic 9',
    });
  });
});
