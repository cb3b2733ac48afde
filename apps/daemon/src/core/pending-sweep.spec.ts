import type { OrderRecord } from '@libs/gateway-client';
import { blankRecord, type IntentRecord, type OwnedTicket } from './records';
import { spec } from './testing/spec';
import { AccountRows } from './account-rows';
import { StrategyBook } from './strategy-book';
import { sweepsOf } from './pending-sweep';

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
const swept = (book: StrategyBook, marketMs: number, quoteMs = 0, inFlight: readonly IntentRecord[] = []) => {
  const quotes = { eur: { timeMs: quoteMs, bid: 1.1, ask: 1.1001 } };
  return sweepsOf({ book, inFlight }, marketMs, quotes).map(({ intent, reason }) => [intent.order, reason]);
};
const cancel = (broker: string, ticket: number): IntentRecord => ({
  ...{ key: 'k', strategy: 'ema', broker, intentId: 'c1', stream: 'eur', symbol: 'EURUSD', ticket },
  ...{ call: { method: 'DELETE', path: `/orders/${ticket}` }, isEntry: false, createdAtMs: 0 },
  ...{ state: 'open', outcome: null },
});

describe('a pending order', () => {
  const book = new StrategyBook(spec, blankRecord('ema'), [
    owned(1),
    owned(2, { expiresMs: 60_000 }),
    owned(3, { expiresMs: 60_000 }),
    owned(4, { working: false, volumeIn: '0.1', side: 'buy' }),
  ]);
  book.see('demo', new AccountRows([], [row(1), row(2)]));

  it('is cancelled when it rests 10 seconds of market time after its expiry', () => {
    expect(swept(book, 70_000)).toEqual([]);
    expect(swept(book, 70_001)).toEqual([[2, 'it has expired']]);
    expect(swept(book, 0, 70_000)).toEqual([]);
    expect(swept(book, 0, 70_001)).toEqual([[2, 'it has expired']]);
  });

  it('is cancelled once: not while a request that acts on it is in flight', () => {
    expect(swept(book, 70_001, 0, [cancel('demo', 2)])).toEqual([]);
    expect(swept(book, 70_001, 0, [cancel('demo', 1), cancel('live', 2)])).toEqual([[2, 'it has expired']]);
  });

  it('is cancelled by its ticket if its gateway refuses the list and none was read since the start', () => {
    const halted = { ...blankRecord('ema'), halt: { kind: 'persistent', reason: 'enough', atMs: 0 } } as const;
    const unread = new StrategyBook(spec, halted, [
      owned(1),
      owned(4, { working: false, volumeIn: '0.1', side: 'buy' }),
    ]);
    const tickets = (unreadAt: string | null) =>
      sweepsOf({ book: unread, inFlight: [] }, 0, {}, unreadAt).map(({ intent }) => intent.order);
    expect([tickets(null), tickets('live'), tickets('demo')]).toEqual([[], [], [1]]);
    unread.see('demo', new AccountRows([], []));
    expect(tickets('demo')).toEqual([]);
  });

  it('is cancelled with all others when its strategy is halted', () => {
    const halted = { ...book.record, halt: { kind: 'persistent', reason: 'enough', atMs: 0 } } as const;
    book.apply({ strategy: halted });
    expect(swept(book, 0)).toEqual([
      [1, 'halted: enough'],
      [2, 'halted: enough'],
    ]);
    expect(swept(book, 0, 0, [cancel('demo', 1)])).toEqual([[2, 'halted: enough']]);
  });
});
