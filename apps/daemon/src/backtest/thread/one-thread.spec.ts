import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { close, open } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { spec } from '../../core/testing/spec';
import { ThreadLostError } from '../../strategies/strategy-thread';
import { runBacktest } from '../run-backtest';
import { writeTicks } from '../testing/written-prices';
import { runHandlers, said, streamsOf } from '../testing/written-strategy';
import { BacktestThread } from './backtest-thread';
import { KeptThread, threadLimits } from './kept-thread';
import type { RunStart } from './thread-messages';

const startMs = Date.UTC(2024, 0, 3);
const folder = mkdtempSync(join(tmpdir(), 'one-thread-'));
/** Each minute is quoted once, and each price is higher than all before it. */
const file = writeTicks(
  join(folder, 'eurusd.csv'),
  Array.from({ length: 60 }, (_, minute) => [startMs + minute * 60_000, 1.1 + minute / 1_000, 1.1002 + minute / 1_000]),
);
const run = (handlers: string) =>
  runHandlers(handlers, { files: [file] }, { streams: streamsOf({ main: 'EURUSD@M1' }) });

/** Walks over everything that can be reached from some objects, and passes each number on. */
const walk = `
  function walk(roots, onNumber) {
    const seen = new Set();
    const left = [...roots];
    for (let thing = left.pop(); left.length > 0 || thing !== undefined; thing = left.pop()) {
      if (typeof thing === 'number') onNumber(thing);
      if ((typeof thing !== 'object' && typeof thing !== 'function') || thing === null || seen.has(thing)) continue;
      seen.add(thing);
      if (ArrayBuffer.isView(thing) || thing instanceof Map || thing instanceof Set) left.push(...thing.values?.() ?? []);
      for (const key of Reflect.ownKeys(thing)) {
        try { left.push(thing[key]); } catch {}
      }
      left.push(Object.getPrototypeOf(thing));
    }
    return seen.size;
  }`;

describe('the progress of a backtest', () => {
  it('is shown until its end', async () => {
    const shares: number[] = [];
    await runHandlers(
      'onBar() {}',
      { files: [file], onProgress: (share) => shares.push(share) },
      { streams: streamsOf({ main: 'EURUSD@M1' }) },
    );
    expect(shares.at(-1)).toBe(1);
  });
});

describe('a strategy in the thread of its backtest', () => {
  it('catches no error of the thread from a parameter rule: its constructor would run code outside the context', async () => {
    const module = join(folder, 'rule-errors.ts');
    writeFileSync(
      module,
      `import { defineStrategy } from '@libs/strategy';
import { isCurrency, isURL } from 'class-validator';
const failed = (call) => { try { call(); return null; } catch (error) { return error; } };
let told = false;
export default defineStrategy({ version: 1, params: class {}, create: () => ({
  onBar(bar, trade) {
    if (told) return;
    told = true;
    const options = new Proxy({}, { get: () => Symbol('no option') });
    const errors = [() => isURL('https://a.ch', options), () => isCurrency('1.00', options)].map(failed);
    trade.log(errors.map((error) => error !== null && error.constructor.constructor === Function).join());
  },
}) });`,
    );
    const changed = { ...spec, module, streams: streamsOf({ main: 'EURUSD@M1' }), params: {} };
    const result = await runBacktest({ fromMs: null, toMs: null, files: [file], spec: changed });
    expect(said(result)).toEqual(['true,true']);
  });

  it('cannot reach a future price from any value that it receives', async () => {
    const result = await run(`
      onBar(bar, trade) {
        if (++n !== 20) return;
        ${walk}
        let highest = 0;
        // Prices of this market, and the constants of Node that look like them.
        const noted = (value) => { if (value > 1.1 && value < 1.16 && value > highest) highest = value; };
        const things = walk([bar, trade, globalThis], noted);
        trade.log(String(things > 500));
        trade.log(JSON.stringify([highest, trade.quote('main').ask]));
      }`);
    const [hasWalked, prices] = said(result);
    expect(hasWalked).toBe('true');
    const [highest, ask] = JSON.parse(prices ?? '[]') as [number, number];
    expect(highest).toBe(ask);
  });

  it('has globals of its own, without clock, chance, network, files and modules of Node', async () => {
    const result = await run(`
      onBar(bar, trade) {
        if (++n !== 1) return;
        const names = ['require', 'module', 'fetch', 'setTimeout', 'setInterval', 'setImmediate', 'WebSocket', 'performance', 'crypto'];
        trade.log(names.filter((name) => typeof globalThis[name] !== 'undefined').join() || 'none');
        trade.log(Object.keys(process.env).length + ' ' + typeof process.binding);
        for (const reach of [() => Date.now(), () => new Date(), () => Math.random()]) {
          try { reach(); trade.log('reached'); } catch (error) { trade.log(error.message); }
        }
        trade.log(String(bar instanceof Object && trade.positions() instanceof Array && new Date(0) instanceof Date));
        trade.log(new TextDecoder().decode(new TextEncoder().encode(new URL('a:b').href)) + structuredClone({ a: 1 }).a);
        console.warn('seen', { a: 1 });
      }`);
    expect(said(result)).toEqual([
      'none',
      '0 undefined',
      'a strategy has no clock: use trade.timeMs',
      'a strategy has no clock: use trade.timeMs',
      'a strategy has no source of randomness (Math.random)',
      'true',
      'a:b1',
      'seen { a: 1 }',
    ]);
  });

  it('changes nothing but its own copies of events, positions and quotes', async () => {
    const result = await run(`
      onBar(bar, trade) {
        n++;
        if (n === 2) trade.buy('main', { volume: 0.1 });
        if (n === 5) {
          const [position] = trade.positions();
          position.volume = 7;
          trade.quote('main').bid = 9;
          trade.bars('main', 3)[0].close = 9;
          bar.close = 9;
          trade.log('own ' + trade.positions()[0].volume);
        }
        if (n === 6) trade.log([trade.positions()[0].volume, trade.quote('main').bid, bar.close].join(' '));
      }`);
    expect(said(result)).toEqual(['own 7', '0.1 1.106 1.105']);
  });

  it('fails with the error of a promise that it did not await, and a handler that returns a promise is refused', async () => {
    await expect(
      run(`onBar() { if (++n === 3) void (async () => { await null; throw new Error('too late'); })(); }`),
    ).rejects.toThrow(/^in a promise that is not awaited: too late\n\s+at .*strategy\.ts:4:/);
    await expect(run('async onBar() { await null; }')).rejects.toThrow('the handler of a bar is async');
  });

  it('gives a promise its turn before the next minute', async () => {
    const result = await run(`
      onBar(bar, trade) {
        if (++n === 2) void Promise.resolve().then(() => { this.late = n; });
        if (n === 3) trade.log(String(this.late));
      }`);
    expect(said(result)).toEqual(['2']);
  });

  it('is refused a function in an order, as a live strategy is', async () => {
    await expect(run(`onBar(bar, trade) { trade.buy('main', { volume: 1, onFill() {} }); }`)).rejects.toThrow(
      'could not be cloned',
    );
  });
});

describe('a thread that is kept for many backtests', () => {
  const kept = new KeptThread();
  afterAll(() => kept.end());
  /** Says how many prices it has seen, and what an earlier run has left in its globals. */
  const handlers = `onBar(bar, trade) {
    n++;
    globalThis.seen = (globalThis.seen ?? 0) + 1;
    if (n % 20 === 1) trade.buy('main', { volume: 0.1 });
    if (n === 50) trade.log([bar.close, globalThis.seen].join(' '));
  }`;
  const settings = { streams: streamsOf({ main: 'EURUSD@M1' }) };
  const ticks = (pips: number) =>
    Array.from({ length: 60 }, (_, minute): [number, number, number] => [
      startMs + minute * 60_000,
      Number((1.1 + (minute + pips) / 10_000).toFixed(5)),
      Number((1.1 + (minute + pips + 2) / 10_000).toFixed(5)),
    ]);

  it('gives each the same result as alone, also after one that failed', async () => {
    const alone = await runHandlers(handlers, { files: [file] }, settings);
    const first = await runHandlers(handlers, { files: [file] }, settings, kept);
    await expect(
      runHandlers(`onBar() { throw new Error('broken'); }`, { files: [file] }, settings, kept),
    ).rejects.toThrow('broken');
    for (const result of [first, await runHandlers(handlers, { files: [file] }, settings, kept)]) {
      expect(result).toEqual(alone);
    }
  });

  it('reads a price file once, and again after it has changed', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'kept-')), 'eurusd.csv');
    const closeAfter = async (pips: number, writtenS: number) => {
      writeTicks(path, ticks(pips));
      utimesSync(path, writtenS, writtenS);
      return said(await runHandlers(handlers, { files: [path] }, settings, kept));
    };
    expect(await closeAfter(0, 1_000)).toEqual(['1.1049 50']);
    expect(await closeAfter(5, 1_000)).toEqual(['1.1049 50']);
    expect(await closeAfter(5, 2_000)).toEqual(['1.1054 50']);
  });
});

describe('the thread of a backtest', () => {
  const limits = { watchdogMs: 300, maxHeapMb: 64, maxExternalMb: 64 };
  const start = { spec: { name: 'mine' } } as RunStart;
  const runEntry = (text: string, watchdogMs: number | null = limits.watchdogMs, clock = new SystemClock()) => {
    const entry = { text, compiled: null };
    const thread = new BacktestThread({ thread: entry, context: entry }, { ...limits, watchdogMs }, clock);
    return thread.run(start, () => undefined).finally(() => thread.end());
  };
  const head = `const { workerData, parentPort } = require('node:worker_threads'); const pulse = new Int32Array(workerData.pulse);`;

  it.each([
    ['a strategy that does not return', 'Atomics.add(pulse, 0, 1); for (;;);', 'no answer within 300 ms'],
    ['one that ends the process', 'process.exit(3);', "the strategy's thread ended with code 3"],
    ['one that takes all memory', 'const all = []; for (;;) all.push(new Array(1e6).fill({}));', 'memory'],
  ])('ends with %s', async (_what, text, problem) => {
    const error: unknown = await runEntry(`${head} ${text}`).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ThreadLostError);
    expect(error).toMatchObject({ culprit: 'mine', message: expect.stringContaining(problem) as string });
  });

  it('has no watchdog while a debugger may hold the strategy', async () => {
    expect(threadLimits().watchdogMs).toBe(30_000);
    open(0, '127.0.0.1');
    try {
      expect(threadLimits().watchdogMs).toBeNull();
    } finally {
      close();
    }
  });

  it('sets no timer without a watchdog', async () => {
    const timers = jest.fn();
    const clock = new (class extends SystemClock {
      override setTimer(...args: Parameters<SystemClock['setTimer']>): ReturnType<SystemClock['setTimer']> {
        timers();
        return super.setTimer(...args);
      }
    })();
    const ended = (watchdogMs: number | null) => runEntry('process.exit(3);', watchdogMs, clock).catch(() => undefined);
    await ended(null);
    expect(timers).not.toHaveBeenCalled();
    await ended(300);
    expect(timers).toHaveBeenCalled();
  });
});
