import type { PositionRecord } from '@libs/gateway-client';
import { blankRecord, type HaltRecord, type IntentRecord, type OwnedTicket } from './records';
import { spec } from '../testing/desk-rig';
import { AccountRows } from './account-rows';
import { forcedExits } from './halt-rules';
import { StrategyBook } from './strategy-book';

const owned = (ticket: number): OwnedTicket => ({
  ...{ strategy: 'ema', broker: 'demo', ticket, stream: 'eur', symbol: 'EURUSD', intentId: `i${ticket}`, deals: [] },
  ...{ volumeIn: '0.1', volumeOut: '0', side: 'buy', working: false, closed: false },
});
const row = (ticket: number): PositionRecord => ({
  ...{ ticket, identifier: ticket, time: 0, time_msc: 0, time_update: 0, time_update_msc: 0, type: 0, magic: 7 },
  ...{ reason: 3, volume: 0.1, price_open: 1.1, sl: 0, tp: 0, price_current: 1.1, swap: 0, profit: 0 },
  ...{ symbol: 'EURUSD', comment: '', external_id: '', time_utc: null, client_order_id: null },
});
const close = (ticket: number): IntentRecord => ({
  ...{ key: 'k', strategy: 'ema', broker: 'demo', intentId: 'c1', stream: 'eur', symbol: 'EURUSD', ticket },
  ...{ call: { method: 'POST', path: '/close_position', body: { position: { ticket } } }, isEntry: false },
  ...{ createdAtMs: 0, state: 'open', outcome: null },
});
const halt = { kind: 'persistent', reason: 'enough', atMs: 0 } as const;

describe('the positions of a strategy that is to be flat', () => {
  const book = (own: HaltRecord | null) => {
    const made = new StrategyBook(spec, { ...blankRecord('ema'), halt: own }, [owned(1), owned(2), owned(3)]);
    // The third is in the books, and its deals leave it open.
    made.see('demo', new AccountRows([row(1), row(2)], []));
    return made;
  };
  const closing = (own: HaltRecord | null, inFlight: readonly IntentRecord[] = [], failedMs = -1, nowMs = 0) => {
    const failed = { broker: 'demo', ticket: 2, reason: 'closed market', atMs: failedMs };
    const failedExits = failedMs < 0 ? [] : ([['demo:2 POST /close_position', failed]] as const);
    return forcedExits({ book: book(own), inFlight }, { failedExits }, nowMs).map(({ intent }) => intent.position);
  };

  it('are closed as a whole, and those of a strategy that is only halted are not', () => {
    expect(closing({ ...halt, flattens: true })).toEqual([1, 2, 3]);
    expect(closing(halt)).toEqual([]);
    expect(closing(null)).toEqual([]);
  });

  it('are closed once: not while a close of the same position is in flight', () => {
    expect(closing({ ...halt, flattens: true }, [close(1)])).toEqual([2, 3]);
  });

  it('are tried again half a minute after a close that failed for good', () => {
    expect(closing({ ...halt, flattens: true }, [], 5_000, 34_999)).toEqual([1, 3]);
    expect(closing({ ...halt, flattens: true }, [], 5_000, 35_000)).toEqual([1, 2, 3]);
  });

  it('are closed by their tickets while a gateway refuses its account, also before it was read; not twice until it is read', () => {
    const unseen = new StrategyBook(spec, { ...blankRecord('ema'), halt: { ...halt, flattens: true } }, [
      owned(1),
      owned(2),
    ]);
    const by = (unread: string | null, unreadCloses = [{ broker: 'live', ticket: 1 }]) =>
      forcedExits({ book: unseen, inFlight: [] }, { failedExits: [], unreadCloses }, 0, unread).map(
        ({ intent }) => intent.position,
      );
    expect([by(null), by('live'), by('demo')]).toEqual([[], [], [1, 2]]);
    expect(by('demo', [{ broker: 'demo', ticket: 1 }])).toEqual([2]);
  });
});
