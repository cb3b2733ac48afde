import type { TimedReject } from '../backtest/backtest-result';
import { BacktestRecords } from './compared-days';
import type { ComparedTrade } from './compared-trade';

const minute = (value: number) => Date.UTC(2026, 0, 5, 10, value);
const streams = [{ alias: 'main', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' }];
const entryAt = (openedMs: number, more: Partial<ComparedTrade> = {}): ComparedTrade => ({
  ...{ strategy: 'a', symbol: 'EURUSD', side: 'buy', volume: 0.1, openedMs, entryPrice: 1.1, closedMs: null },
  ...{ exitPrice: null, exitReason: null, commission: 0, swap: 0, net: 3, ...more },
});
const refused = (timeMs: number, more: Partial<TimedReject> = {}): TimedReject => ({
  ...{ intentId: 'i', kind: 'rejected', reason: 'broker_rejected: NO_MONEY', retcode: 10_019, timeMs },
  ...{ entry: { stream: 'main', side: 'buy' }, ...more },
});
const records = (more: {
  readonly rejects?: readonly TimedReject[];
  readonly halts?: ConstructorParameters<typeof BacktestRecords>[0]['halts'];
  readonly failure?: string;
}): BacktestRecords => {
  const { rejects = [], halts = [], failure = null } = more;
  return new BacktestRecords({ result: { rejects }, halts, failure }, streams, 60_000);
};

describe('an entry that a backtest did not make', () => {
  it('was refused there, if a refused entry of its symbol and side is near; each refusal counts once', () => {
    const found = records({ rejects: [refused(minute(1)), refused(minute(30), { kind: 'denied', reason: 'full' })] });
    expect(found.of(entryAt(minute(2)))).toEqual({
      cause: 'the backtest rejected it',
      detail: 'broker_rejected: NO_MONEY',
    });
    expect(found.of(entryAt(minute(2)))).toBeNull();
    expect(found.of(entryAt(minute(30)))?.cause).toBe('the backtest denied it');
  });

  it.each([
    ['another side', refused(minute(1), { entry: { stream: 'main', side: 'sell' } })],
    ['another symbol', refused(minute(1), { entry: { stream: 'other', side: 'buy' } })],
    ['an action that was no entry', refused(minute(1), { entry: null })],
    ['another time', refused(minute(4))],
  ])('is not explained by a refusal of %s', (_what, reject) => {
    expect(records({ rejects: [reject] }).of(entryAt(minute(1)))).toBeNull();
  });

  it('lies in a halt: to the end of its day, or without an end', () => {
    const daily = records({ halts: [{ kind: 'daily', reason: 'daily loss', atMs: minute(5) }] });
    const of = (at: number) => daily.of(entryAt(at));
    expect([of(minute(4)), of(Date.UTC(2026, 0, 6))]).toEqual([null, null]);
    expect(of(Date.UTC(2026, 0, 5, 23, 59))).toEqual({ cause: 'the backtest was halted', detail: 'daily loss' });
    const lasting = records({ halts: [{ kind: 'persistent', reason: 'drawdown', atMs: minute(5) }] });
    expect(lasting.of(entryAt(Date.UTC(2026, 0, 9)))?.detail).toBe('drawdown');
  });

  it('is missing because the strategy failed to warm up', () => {
    const failed = records({ failure: 'Error: no', rejects: [refused(minute(1))] });
    expect(failed.of(entryAt(minute(1)))).toEqual({ cause: 'the backtest failed to warm up', detail: 'Error: no' });
  });
});
