import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeptThread } from './thread/kept-thread';
import { writeTicks, type WrittenQuote } from './testing/written-prices';
import { runOf, runWritten, writtenStrategies } from './testing/written-portfolio';

const folder = mkdtempSync(join(tmpdir(), 'portfolio-halts-'));
const minuteMs = 60_000;
/** Two hours before midnight. */
const startMs = Date.UTC(2024, 0, 9, 22);
const midnightMs = startMs + 120 * minuteMs;

function ticksOf(symbol: string, bidAt: (minute: number) => number): string {
  const quotes = Array.from({ length: 180 }, (_, minute): WrittenQuote => {
    const bid = bidAt(minute);
    return [startMs + minute * minuteMs, bid, bid + 0.0001];
  });
  return writeTicks(join(folder, `${symbol.toLowerCase()}.csv`), quotes);
}
/** EURUSD loses a pip each minute from the tenth to the sixtieth; GBPUSD stays where it is. */
const files = [
  ticksOf('EURUSD', (minute) => 1.1 - Math.min(50, Math.max(0, minute - 10)) / 10_000),
  ticksOf('GBPUSD', () => 1.3),
];
const main = { main: 'EURUSD@M1' };
const other = { main: 'GBPUSD@M1' };

/** Buys a lot of EURUSD, which loses 10 USD a minute. */
const loser = {
  handlers: `onBar(bar, trade) { if (++n === 2) trade.buy('main', { volume: 1 }); }`,
  streams: main,
};
/** Has a pending order, and enters again and again. */
const steady = {
  handlers: `
    onBar(bar, trade) {
      if (++n === 2) trade.buy('main', { kind: 'limit', price: 1.2, volume: 0.1 });
      if (n % 5 === 0) trade.buy('main', { volume: 0.01 });
    },
    onOrderGone(gone, trade) { trade.log('gone ' + gone.kind + ' ' + trade.timeMs); },
    onReject(reject, trade) { trade.log(reject.kind + ' ' + reject.reason); }`,
  streams: other,
};
const strategies = writtenStrategies(20_000, { loser, steady });

describe('the limits of a portfolio in a backtest', () => {
  it('halt every strategy for the loss of one, cancel what is pending, and let exits pass', async () => {
    const result = await runWritten(strategies, { files }, { maxDrawdownPct: 1 });
    const reason = 'drawdown of 1.00 % reached maxDrawdownPct 1';
    expect(result.haltReason).toBe(reason);
    expect(result.halts).toMatchObject([{ kind: 'persistent', reason }]);
    for (const alias of ['loser', 'steady']) {
      expect(runOf(result, alias)).toMatchObject({
        halts: [{ kind: 'persistent', reason: `portfolio book: ${reason}`, atMs: result.halts[0]?.atMs }],
        result: { haltReason: `portfolio book: ${reason}` },
      });
    }
    const { logs, fills } = runOf(result, 'steady').result;
    const said = logs.map(({ message }) => message);
    expect(said[0]).toMatch(/^gone cancelled/);
    expect(said[1]).toBe(`denied halted: portfolio book: ${reason}`);
    const haltedMs = result.halts[0]?.atMs ?? 0;
    expect(fills.filter(({ timeMs }) => Number(timeMs) >= haltedMs)).toEqual([]);
    expect(fills.length).toBeGreaterThan(2);
    // With the spread of a pip, 200 USD are lost when the price has fallen by 19 pips.
    expect(Math.round((haltedMs - startMs) / minuteMs)).toBe(29);
  });

  it('end a daily halt with the day of the market, for the portfolio and for its strategies', async () => {
    const result = await runWritten(strategies, { files }, { maxDailyLoss: 200 });
    // The loss of EURUSD, and the spread of what the other strategy holds.
    expect(result.halts).toMatchObject([{ kind: 'daily', reason: 'daily loss of 200.50 reached maxDailyLoss 200' }]);
    expect([result.haltReason, runOf(result, 'steady').result.haltReason]).toEqual([null, null]);
    const times = runOf(result, 'steady').result.fills.map(({ timeMs }) => Number(timeMs));
    const haltedMs = result.halts[0]?.atMs ?? 0;
    expect(times.filter((timeMs) => timeMs > haltedMs && timeMs < midnightMs)).toEqual([]);
    expect(times.filter((timeMs) => timeMs >= midnightMs).length).toBeGreaterThan(5);
  });

  it('are none when the configuration has none', async () => {
    const result = await runWritten(strategies, { files });
    expect([result.halts, result.haltReason, runOf(result, 'steady').halts]).toEqual([[], null, []]);
  });

  it('leave the limits of a strategy itself to it alone', async () => {
    const own = { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: 1 };
    const result = await runWritten(
      writtenStrategies(20_000, { loser: { ...loser, changes: { risk: own } }, steady }),
      { files },
      { maxDrawdownPct: 10 },
    );
    expect(runOf(result, 'loser').result.haltReason).toContain('drawdown of 1.00 % reached maxDrawdownPct 1');
    expect(runOf(result, 'steady').halts).toEqual([]);
  });
});

describe('the stop out of the account', () => {
  it('closes the position that loses most, and leaves those of the other strategy', async () => {
    const holds = (volume: number): string =>
      `onBar(bar, trade) { if (++n === 2) trade.buy('main', { volume: ${volume} }); }`;
    const broker = { SIM_LEVERAGE: '100', SIM_MARGIN_CALL: '100', SIM_STOP_OUT: '80' };
    const two = writtenStrategies(1_500, {
      euro: { handlers: holds(1.2), streams: main },
      pound: { handlers: holds(0.05), streams: other },
    });
    const result = await runWritten(two, { files, broker });
    // The margin of EURUSD alone, some 1320 USD, is more than the capital of its strategy: the account has it.
    expect(runOf(result, 'euro').result.fills.map(({ entry, reason }) => [entry, reason])).toEqual([
      ['in', 'strategy'],
      ['out', 'stop_out'],
    ]);
    expect(runOf(result, 'pound').result.fills.map(({ entry }) => entry)).toEqual(['in']);
    expect(runOf(result, 'pound').result.positions).toHaveLength(1);
    expect(result.balance).toBeCloseTo(1_500 + runOf(result, 'euro').result.realized, 6);
  });
});

describe('a strategy of a portfolio that fails', () => {
  const trading = {
    handlers: `onBar(bar, trade) { if (++n % 20 === 0) trade.buy('main', { volume: 0.01 }); }`,
    streams: other,
  };

  it('is halted after five errors in a row, as in the daemon, and the others go on', async () => {
    const result = await runWritten(
      writtenStrategies(10_000, {
        bad: {
          handlers: `onBar(bar, trade) { if (++n > 10) throw new Error('no more'); trade.buy('main', { volume: 0.01 }); }`,
          streams: main,
        },
        trading,
      }),
      { files },
    );
    const bad = runOf(result, 'bad');
    expect(bad.halts).toMatchObject([{ kind: 'persistent', reason: '5 handlers threw in a row' }]);
    expect(bad.firstError?.error).toMatch(/^no more\n\s+at .*bad\.ts:4:/);
    expect(bad.errors).toBeGreaterThan(100);
    expect(runOf(result, 'trading').result.fills.length).toBeGreaterThan(5);
    expect(runOf(result, 'trading')).toMatchObject({ errors: 0, firstError: null, halts: [] });
  });

  it('keeps its entries before an error, and is not halted by errors that are not in a row', async () => {
    const result = await runWritten(
      writtenStrategies(10_000, {
        now: {
          handlers: `onBar(bar, trade) { trade.buy('main', { volume: 0.01 }); if (++n % 5 !== 0) throw new Error('now'); }`,
          streams: main,
        },
      }),
      { files },
    );
    const { errors, halts, result: own } = runOf(result, 'now');
    expect([errors > 100, halts]).toEqual([true, []]);
    expect(own.fills.length).toBe(own.bars);
  });

  it('is the only one that fails for its rejected promise', async () => {
    const result = await runWritten(
      writtenStrategies(10_000, {
        a: { handlers: `onBar() { if (++n === 3) void Promise.reject(new Error('late')); }`, streams: main },
        b: trading,
      }),
      { files },
    );
    expect(result.strategies.map(({ errors }) => errors)).toEqual([1, 0]);
    expect(runOf(result, 'a').firstError?.error).toContain('in a promise that is not awaited: late');
  });

  it('never trades when it throws while it warms up', async () => {
    const result = await runWritten(
      writtenStrategies(10_000, {
        cold: {
          handlers: `onBar(bar, trade) { if (trade.warmingUp) throw new Error('too cold'); trade.buy('main', { volume: 0.01 }); }`,
          streams: main,
          warmupBars: 3,
        },
        trading,
      }),
      { files },
    );
    expect(runOf(result, 'cold').failure).toMatch(/^too cold/);
    expect(runOf(result, 'cold').result.fills).toEqual([]);
    expect(runOf(result, 'trading').failure).toBeNull();
    expect(runOf(result, 'trading').result.fills.length).toBeGreaterThan(5);
  });

  it('is refused together with all others that cannot be loaded', async () => {
    const refused = runWritten(
      writtenStrategies(10_000, {
        a: { ...trading, changes: { params: { stepp: 2 } } },
        b: trading,
        c: { handlers: 'onBars() {}', streams: main },
        d: { ...trading, changes: { module: join(folder, 'gone.ts') } },
      }),
      { files },
    );
    const message = await refused.then(
      () => '',
      (error: Error) => error.message,
    );
    expect(message).toMatch(/^book\/d: .*gone\.ts/m);
    expect(message).toMatch(/^book\/a: .*stepp/m);
    expect(message).toMatch(/^book\/c: create returned a handler onBars/m);
    expect(message).not.toContain('book/b');
  });

  it('is refused together with all others that lack past bars', async () => {
    const needs = (warmupBars: number) => ({ ...trading, warmupBars });
    const refused = runWritten(writtenStrategies(10_000, { a: needs(90), b: needs(2), c: needs(80) }), {
      ...{ files, fromMs: startMs + 30 * minuteMs },
    });
    await expect(refused).rejects.toThrow(
      /^book\/a: main needs 90 past bars; .*\nbook\/c: main needs 80 past bars; .*$/,
    );
  });

  it('is named by the watchdog, which ends an endless loop', async () => {
    const loops = { handlers: 'onBar() { if (++n === 5) for (;;); }', streams: main };
    const thread = new KeptThread({ watchdogMs: 1_500, maxHeapMb: 256, maxExternalMb: 256 });
    const ended = runWritten(writtenStrategies(10_000, { a: trading, b: loops, c: trading }), { files }, {}, thread);
    await expect(ended).rejects.toMatchObject({
      message: 'book/b: no answer within 1500 ms: the thread was ended',
      culprit: 'book/b',
    });
  });
});
