import type { OrderRecord } from '@libs/gateway-client';
import { blankRecord, type OwnedTicket } from '../state/records';
import { spec } from '../testing/desk-rig';
import { AccountRows } from './account-rows';
import { sweepable } from './pending-sweep';
import { StrategyBook } from './strategy-book';

const owned = (ticket: number, more: Partial<OwnedTicket> = {}): OwnedTicket => ({
  ...{ strategy: 'ema', broker: 'demo', ticket, stream: 'eur', symbol: 'EURUSD', intentId: `i${ticket}` },
  ...{ deals: [], volumeIn: '0', volumeOut: '0', working: true, closed: false, ...more },
});
const row = (ticket: number): OrderRecord => ({
  ...{ ticket, time_setup: 0, time_setup_msc: 0, time_done: 0, time_done_msc: 0, time_expiration: 0, type: 2 },
  ...{ type_time: 0, type_filling: 2, state: 1, magic: 7, position_id: 0, position_by_id: 0, reason: 3 },
  ...{ volume_initial: 0.1, volume_current: 0.1, price_open: 1, sl: 0, tp: 0, price_current: 1, price_stoplimit: 0 },
  ...{ symbol: 'EURUSD', comment: '', external_id: '', client_order_id: null },
});
const swept = (book: StrategyBook, marketMs: number) =>
  sweepable(book, () => marketMs).map(({ owned: { ticket }, reason }) => [ticket, reason]);

describe('a pending order', () => {
  const book = new StrategyBook(spec, blankRecord('ema'), [
    owned(1),
    owned(2, { expiresMs: 60_000 }),
    owned(3, { expiresMs: 60_000 }),
    owned(4, { working: false, volumeIn: '0.1', side: 'buy' }),
  ]);
  book.see('demo', new AccountRows([], [row(1), row(2)]));

  it('that still rests well past its expiry is to go', () => {
    expect(swept(book, 60_001)).toEqual([]);
    expect(swept(book, 70_001)).toEqual([[2, 'its time has passed']]);
  });

  it('is to go with all others when its strategy is halted', () => {
    const halted = { ...book.record, halt: { kind: 'persistent', reason: 'enough', atMs: 0 } } as const;
    book.apply({ strategy: halted });
    expect(swept(book, 0)).toEqual([
      [1, 'halted: enough'],
      [2, 'halted: enough'],
    ]);
  });
});
