import type { PositionRecord } from '@libs/gateway-client';
import { Decimal } from 'decimal.js';
import { blankRecord, type HaltRecord, type IntentRecord, type OwnedTicket, type StrategyRecord } from './records';
import { spec } from './testing/spec';
import { AccountRows } from './account-rows';
import {
  afterEquity,
  afterPortfolioEquity,
  drawdown,
  forcedExits,
  haltOfChild,
  HandlerErrors,
  resumed,
} from './halt-rules';
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

describe('the limits on the equity', () => {
  const risk = { maxDailyLoss: 200, maxDrawdownPct: 10 };
  const start = { ...blankRecord('ema'), day: { date: '2024-01-03', equity: '10000' }, peakEquity: '10000' };
  const daily = { kind: 'daily', reason: 'daily loss of 200.00 reached maxDailyLoss 200', atMs: 5 } as const;
  const none = { maxDailyLoss: null, maxDrawdownPct: null };
  const after = (from: StrategyRecord, equity: number, date = '2024-01-03', limits: typeof risk | typeof none = risk) =>
    afterEquity(from, limits, new Decimal(equity), date, 5);

  it('begin with the first equity, and leave the record as it is while nothing changes', () => {
    expect(after(blankRecord('ema'), 10_000)).toEqual(start);
    expect(after(start, 10_000)).toBe(start);
    expect(after(start, 9_801)).toBe(start);
    expect(after(start, 1, '2024-01-03', none)).toBe(start);
  });

  it('halt for the day at the loss of the day, and not before', () => {
    expect(after(start, 9_800.01)).toBe(start);
    expect(after(start, 9_800)).toEqual({ ...start, halt: daily });
    const fallen = { ...start, day: { date: '2024-01-03', equity: '9500' } };
    expect(after(fallen, 9_301)).toBe(fallen);
  });

  it('halt for good at the drawdown from the peak, which comes before the loss of the day', () => {
    const reason = 'drawdown of 10.00 % reached maxDrawdownPct 10';
    expect(after({ ...start, peakEquity: '11000' }, 9_900)).toMatchObject({
      halt: { kind: 'persistent', reason, atMs: 5 },
    });
    expect(after(start, 9_000).halt?.kind).toBe('persistent');
    expect(after({ ...start, peakEquity: '11000' }, 9_901).halt).toBeNull();
  });

  it('follow a new peak, a new day and the end of a daily halt; a day before counts as the same', () => {
    expect(after(start, 10_001)).toEqual({ ...start, peakEquity: '10001' });
    expect(after(start, 9_900, '2024-01-04')).toEqual({ ...start, day: { date: '2024-01-04', equity: '9900' } });
    expect(after(start, 9_900, '2024-01-02')).toBe(start);
    const halted = { ...start, halt: daily };
    expect(after(halted, 9_700)).toBe(halted);
    expect(after(halted, 9_700, '2024-01-04')).toMatchObject({ halt: null, day: { equity: '9700' } });
    const forGood = { ...start, halt };
    expect(after(forGood, 9_700, '2024-01-04').halt).toBe(halt);
  });

  it('begin again when the operator resumes, or with the next equity that is known', () => {
    const halted = { ...start, halt: daily };
    expect(resumed(halted, new Decimal(9_700))).toEqual({
      ...{ ...start, halt: null, peakEquity: '9700', day: { date: '2024-01-03', equity: '9700' } },
    });
    expect(resumed({ ...halted, day: null }, new Decimal(9_700)).day).toBeNull();
    expect(resumed(halted, null)).toEqual({ ...start, halt: null, peakEquity: null, day: null });
  });

  it('are those of a portfolio on the day of its market, and its halt names it', () => {
    const marketMs = Date.UTC(2024, 0, 4, 23, 59);
    const record = afterPortfolioEquity(start, { risk: { ...spec.risk, ...risk } }, new Decimal(10_000), marketMs, 5);
    expect(record.day).toEqual({ date: '2024-01-04', equity: '10000' });
    expect(haltOfChild({ name: 'all' }, daily)).toEqual({ kind: 'daily', reason: `portfolio all: ${daily.reason}` });
  });

  it('name the loss with the digits of its currency', () => {
    const reasonIn = (digits?: number) =>
      afterEquity(start, risk, new Decimal('9654.321'), '2024-01-03', 5, digits).halt?.reason;
    expect([0, 3, undefined].map(reasonIn)).toEqual([
      'daily loss of 346 reached maxDailyLoss 200',
      'daily loss of 345.679 reached maxDailyLoss 200',
      'daily loss of 345.68 reached maxDailyLoss 200',
    ]);
  });

  it('state no drawdown from a peak of 0 or less', () => {
    const percent = (
      [
        [0, -5],
        [-1, -5],
        [200, 150],
      ] as const
    ).map(([peak, equity]) => drawdown(new Decimal(peak), new Decimal(equity)).toNumber());
    expect(percent).toEqual([0, 0, 25]);
  });
});

describe('handlers that throw', () => {
  it('halt the strategy at the fifth of a kind in a row, and count again from there', () => {
    const errors = new HandlerErrors();
    const threw = (type: 'bar' | 'reject', isHalted = false) => errors.note(type, true, isHalted);
    const four = () => [threw('bar'), threw('bar'), threw('bar'), threw('bar')];
    expect(four()).toEqual([null, null, null, null]);
    expect(errors.note('reject', false, false)).toBeNull();
    expect([threw('reject'), threw('bar')]).toEqual([null, '5 handlers threw in a row']);
    expect([...four(), threw('bar', true)]).toEqual([null, null, null, null, null]);
    expect(errors.note('bar', false, false)).toBeNull();
    expect([...four(), threw('bar')]).toEqual([null, null, null, null, '5 handlers threw in a row']);
    expect(errors.count).toBe(16);
  });
});
