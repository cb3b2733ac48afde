import type { IntentRecord } from '../core/records';
import type { ComparedTrade } from './compared-trade';
import { compareWithBacktest, joined, type ComparisonFacts } from './live-comparison';
import type { PairFacts } from './pair-parts';
import { RecordedEvidence } from './recorded-evidence';

const minute = (value: number) => Date.UTC(2026, 0, 5, 10, value);
const buy = (at: number, more: Partial<ComparedTrade> = {}): ComparedTrade => ({
  ...{ strategy: 'ema', symbol: 'EURUSD', side: 'buy', volume: 0.1, openedMs: minute(at) },
  ...{ entryPrice: 1.1, closedMs: minute(at + 10) },
  ...{ exitPrice: 1.102, exitReason: 'tp', commission: 0, swap: 0, net: 20, ...more },
});
const facts = (more: Partial<ComparisonFacts> = {}, of: Partial<PairFacts> = {}): ComparisonFacts => ({
  ...{ fromMs: minute(0), toleranceMs: 60_000, live: null, backtest: { of: () => null } },
  pairFacts: () => ({ worth: 100_000, entryQuote: null, exitQuote: null, moneyDigits: 2, ...of }),
  ...more,
});
const causes = (live: ComparedTrade[], backtest: ComparedTrade[], of = facts()) => {
  const comparison = compareWithBacktest(live, backtest, of);
  const sum = comparison.causes.reduce((total, { amount }) => total + amount, 0);
  expect(sum).toBeCloseTo(comparison.difference, 8);
  return Object.fromEntries(comparison.causes.map(({ cause, amount }) => [cause, amount]));
};

describe('the difference of a live trade and its counterpart in the backtest', () => {
  it('is nothing where they are the same', () => {
    expect(causes([buy(1)], [buy(1)])).toEqual({});
  });

  it('is divided into prices and costs, to the cent', () => {
    const live = buy(1, { entryPrice: 1.10012, exitPrice: 1.10195, commission: -0.7, swap: -0.11, net: 17.49 });
    expect(causes([live], [buy(1)])).toEqual({
      'entry price': -1.2,
      'exit price': -0.5,
      commission: -0.7,
      swap: -0.11,
    });
  });

  it('is divided into the move of the market and the fill where the quote of the moment is known', () => {
    const live = buy(1, { entryPrice: 1.10012, exitPrice: 1.10195, net: 18.3 });
    expect(causes([live], [buy(1)], facts({}, { entryQuote: 1.1001, exitQuote: 1.102 }))).toEqual({
      'entry: the market moved before the fill': -1,
      'entry: fill against the quote of that moment': -0.2,
      'exit: fill against the quote of that moment': -0.5,
    });
  });

  it('of a sold position has the other sign', () => {
    const sold = (more: Partial<ComparedTrade>) => buy(1, { side: 'sell', exitPrice: 1.098, ...more });
    expect(causes([sold({ entryPrice: 1.1001, net: 21 })], [sold({})])).toEqual({ 'entry price': 1 });
  });

  it('has the volume and the conversion rate apart', () => {
    expect(causes([buy(1, { volume: 0.2, net: 40 })], [buy(1)])).toEqual({ volume: 20 });
    expect(causes([buy(1, { net: 22 })], [buy(1)])).toEqual({ 'conversion rate': 2 });
  });

  it('is that of another exit where the closing differs in time or reason', () => {
    const live = buy(1, { entryPrice: 1.1001, closedMs: minute(5), exitReason: 'sl', exitPrice: 1.0991, net: -10 });
    expect(causes([live], [buy(1)])).toEqual({
      ...{ 'entry price': -1, 'closed at a different time or for a different reason': -29 },
    });
    const open = buy(1, { closedMs: null, exitPrice: null, exitReason: null, net: 5 });
    expect(causes([open], [{ ...open, net: 7 }])).toEqual({ 'open at the end': -2 });
  });
});

describe('trades of one side only', () => {
  it('are paired by symbol, side and the nearest entry', () => {
    const of = compareWithBacktest(
      [buy(1), buy(2, { side: 'sell' }), buy(10)],
      [buy(2), buy(1), buy(2, { symbol: 'GBPUSD' }), buy(12)],
      facts(),
    );
    expect(of.pairs.map(({ live, backtest }) => [live.openedMs, backtest.openedMs])).toEqual([[minute(1), minute(1)]]);
    expect([of.onlyLive.length, of.onlyBacktest.length]).toEqual([2, 3]);
  });

  it('count with their whole result, and without a record they are not explained', () => {
    expect(causes([buy(-5, { net: 3 }), buy(1, { net: 4 })], [buy(20, { net: 7 })])).toEqual({
      'only live: opened before the period': 3,
      'only live: not explained': 4,
      'only in the backtest: not explained': -7,
    });
  });

  it('of several strategies are paired within each, and their differences add up', () => {
    const other = { strategy: 'other' };
    const first = compareWithBacktest([buy(1)], [buy(1, { net: 18 })], facts());
    const second = compareWithBacktest([], [buy(1, { ...other, net: 7 })], facts());
    const whole = joined([first, second]);
    expect(whole).toMatchObject({ live: { trades: 1, net: 20 }, backtest: { trades: 2, net: 25 }, difference: -5 });
    expect(whole.causes).toEqual([
      { cause: 'conversion rate', trades: 1, amount: 2 },
      { cause: 'only in the backtest: not explained', trades: 1, amount: -7 },
    ]);
    expect(whole.onlyBacktest.map(({ trade }) => trade.strategy)).toEqual(['other']);
  });

  it('lie in a halt that lasts until it is ended, or until its day ends', () => {
    const line = (time: string, text: string) => `2026-01-${time}.000000Z ERROR ${text}`;
    const lines = [
      line('05T09:00:00', 'running {"version":1}'),
      line('05T10:05:00', 'halted {"kind":"persistent","reason":"by the operator","atMs":1}'),
      line('05T10:20:00', 'resumed'),
      line('05T11:00:00', 'halted {"kind":"daily","reason":"portfolio book: daily loss","atMs":1}'),
    ];
    const evidence = new RecordedEvidence({ lines, isWhole: false }, [], 60_000);
    const of = [4, 6, 19, 21, 61, 13 * 60 + 59, 14 * 60].map((at) => evidence.of(buy(at)));
    expect(of.map((found) => found?.detail)).toEqual([
      ...[undefined, 'by the operator', 'by the operator', undefined],
      ...['portfolio book: daily loss', 'portfolio book: daily loss', undefined],
    ]);
    expect(of[1]?.cause).toBe('halted');
  });

  it('are explained by what the daemon has on record, each record once', () => {
    const intent = (at: number, more: Partial<IntentRecord> = {}): IntentRecord => ({
      ...{
        key: `k${at}`,
        strategy: 'ema',
        broker: 'demo',
        intentId: 'i',
        stream: 'eur',
        symbol: 'EURUSD',
        ticket: null,
      },
      ...{ call: { method: 'POST', path: '/order', body: { type: 'BUY' } }, isEntry: true, createdAtMs: minute(at) },
      ...{ state: 'rejected', outcome: 'broker_rejected: NO_MONEY', ...more },
    });
    const line = (at: number, text: string, details: object) =>
      `${new Date(minute(at)).toISOString().replace('Z', '000Z')} WARNING ${text} ${JSON.stringify(details)}`;
    const denied = (at: number, reason: string) => line(at, 'an intent was denied', { intent: 'i', reason });
    const lines = [
      line(8, 'running', { version: 1 }),
      denied(20, 'ticket 7 is not open or not owned by this strategy'),
      denied(30, 'stale_bar'),
      denied(40, 'halted: daily loss of 12 reached maxDailyLoss 10'),
      denied(45, 'maxOpenPositions 3 reached'),
      line(50, 'failed', { problem: 'no answer', retryInMs: 500 }),
      line(51, 'failed', { problem: 'again', retryInMs: 500 }),
      line(58, 'running', { version: 1 }),
      cutOff,
    ];
    const intents = [
      intent(10),
      intent(60, { state: 'done' }),
      intent(20, { call: sell }),
      intent(20, { isEntry: false }),
    ];
    const evidence = new RecordedEvidence({ lines, isWhole: true }, intents, 60_000);
    const of = compareWithBacktest(
      [],
      [5, 10, 10, 20, 30, 40, 45, 55, 60].map((at) => buy(at)),
      facts({ live: evidence }),
    );
    expect(of.onlyBacktest.map(({ cause, detail }) => [cause, detail])).toEqual([
      ['not running', 'its log begins later'],
      ['rejected', 'broker_rejected: NO_MONEY'],
      ['not explained', null],
      ['not explained', null],
      ['late bar', 'stale_bar'],
      ['halted', 'halted: daily loss of 12 reached maxDailyLoss 10'],
      ['denied', 'maxOpenPositions 3 reached'],
      ['not running', 'no answer'],
      ['not explained', null],
    ]);
  });
});

const sell = { method: 'POST', path: '/order', body: { type: 'SELL' } } as const;
const cutOff = '2026-01-05T11:30:00.000000Z WARNING an intent was denied {"intent":"i","reas…';
