import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { bundleStrategy } from './strategy-bundler';
import { StrategyRefusedError, StrategyThread } from './strategy-thread';
import type { StrategyEvent } from '../core/strategy-event';
import type { Loaded, Reaction } from './worker/messages';
import type { View } from '../live/view';
import type { ThreadHost } from './thread-host';
import { workerThreads } from './worker-threads';

const view: View = { positions: [], orders: [], equity: 1_000, inFlight: 0, quotes: {}, symbols: {}, accounts: {} };
const stream = { alias: 'main', symbol: 'EURUSD', timeframe: 'H1', broker: 'demo' };
const candle = { timeMs: 3_600_000, open: 1, high: 1, low: 1, close: 1, tickVolume: 1, lateMs: 0 };
const bar: StrategyEvent = {
  ...{ type: 'bar', warmingUp: false, serverMs: 3_600_000, closedMs: 3_660_000, onArrival: null },
  bar: { stream: 'main', symbol: 'EURUSD', timeframe: 'H1', ...candle },
};
const head = `import { defineStrategy } from '@libs/strategy';\nclass Params {}\n`;

describe('a strategy file with a mistake', () => {
  let host: ThreadHost;
  let thread: StrategyThread;
  let folder: string;
  beforeAll(async () => {
    host = await workerThreads();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'faults-'));
    thread = new StrategyThread(host, { watchdogMs: 10_000, maxHeapMb: 32 }, new SystemClock());
  });
  afterEach(() => thread.end());

  async function load(text: string, { name = 'mine.ts', params = {} } = {}): Promise<Loaded> {
    writeFileSync(join(folder, name), text);
    const bundle = await bundleStrategy(join(folder, name));
    return thread.load({ name: 'mine', ...bundle, params, streams: [stream], idPrefix: '', state: null });
  }
  const define = (create: string, more = ''): string =>
    `${head}${more}export default defineStrategy({ version: 1, params: Params,\n  create: ({ params, streams }) => {\n${create}\n  },\n});\n`;
  async function react(onBar: string, more = ''): Promise<Reaction> {
    await load(define(`    return { onBar(bar, trade) {\n${onBar}\n    } };`, more));
    return (await thread.handle('mine', bar, view)).reaction;
  }

  it.each([
    ['a typo', `${head}export default defineStrategy({ if });`, /mine\.ts:3:\d+ /],
    [
      'the file system',
      `import 'fs';\n${head}`,
      /mine\.ts:1:8 a strategy cannot import fs: a strategy has no access to files/,
    ],
    ['the network', `${head}void import('node:net');`, /mine\.ts:3:13 a strategy cannot import node:net/],
    ['a library that is not there', `import 'no-lib';`, /mine\.ts:1:8 cannot find no-lib; install it beside/],
    [
      'a neighbour that is not there',
      `import './no-lib';`,
      /mine\.ts:1:8 cannot find \.\/no-lib; check that the file exists/,
    ],
    ['no default export', head, /\/mine\.ts has no default export: write `export default defineStrategy/],
    [
      'another default export',
      'export default 3;',
      /mine\.ts has a default export that was not created by defineStrategy/,
    ],
    ['an error while it loads', `${head}\nthrow new Error('early');`, /^early\n\s+at .*mine\.ts:4:7/],
    ['an error in create', define(`    throw new Error('no idea');`), /^no idea\n\s+at .*mine\.ts:5:11/],
    ['a clock', define(`    return { now: Date.now() };`), /no clock: use trade\.timeMs\n.*mine\.ts:5:/],
    ['chance', define(`    return { dice: Math.random() };`), /no source of randomness.*\n.*mine\.ts:5:/],
    [
      'a clock that counts on',
      define(`    return { now: performance.now() };`),
      /performance is not defined: a strategy has no clock: use trade\.timeMs\n.*mine\.ts:5/,
    ],
    [
      'chance of another kind',
      define(`    return { dice: crypto.getRandomValues(new Uint8Array(1)) };`),
      /crypto is not defined: a strategy has no source of randomness\n.*mine\.ts:5/,
    ],
    [
      'a timer',
      define(`    setTimeout(() => 1, 1);`),
      /setTimeout is not defined: a strategy has no timers.*onTimer.*\n.*mine\.ts:5/,
    ],
    ['no handlers', define(`    return undefined;`), /create must return an object of handlers/],
    [
      'a handler by another name',
      define(`    return { onbar() {} };`),
      /handler onbar, which is not a known handler; the handlers are onBar/,
    ],
    ['a handler that is none', define(`    return { onBar: 3 };`), /onBar is not a function/],
  ])('is reported for %s, with its place', async (_what, text, problem) => {
    const refused = await load(text).then(String, (error: Error) => error.message);
    expect(refused).toMatch(problem);
    expect(refused).not.toMatch(/worker eval|node:internal|strategy-instance/);
  });

  it('is refused if the file does not exist', async () => {
    await expect(bundleStrategy(join(folder, 'gone.ts'))).rejects.toThrow(`strategy file not found: ${folder}/gone.ts`);
  });

  it('is refused if it is a folder or a device', async () => {
    for (const path of [folder, '/dev/zero'])
      await expect(bundleStrategy(path)).rejects.toThrow(new StrategyRefusedError(`${path} is not a strategy file`));
  });

  it('is refused if it is larger than any strategy', async () => {
    const text = `// ${'x'.repeat(3_000_000)}`;
    await expect(load(text)).rejects.toThrow(/mine\.ts has 3 MiB, and at most 2 MiB is taken$/);
  });

  it('is shown the line of an imported file that threw, and its own', async () => {
    writeFileSync(
      join(folder, 'deep.ts'),
      `interface Unused { a: 1 }\n\nexport function deep(): void {\n  throw new Error('deep');\n}\n`,
    );
    const { error } = await react('      deep();', `import { deep } from './deep';\n`);
    expect(error).toMatch(/^deep\n\s+at deep \(.*deep\.ts:4:9\)\n\s+at .*mine\.ts:7:7\)$/);
  });

  it('is shown its line in plain JavaScript, too', async () => {
    const text = `const { defineStrategy } = require('@libs/strategy');\nmodule.exports = defineStrategy({\n  version: 1, params: class {}, create: () => ({\n    onBar() {\n      null.x;\n    },\n  }),\n});\n`;
    await load(text, { name: 'mine.js' });
    expect((await thread.handle('mine', bar, view)).reaction.error).toMatch(/Cannot read.*\n\s+at .*mine\.js:5:12/);
  });

  it('may not be async: its actions after the return would belong to another event', async () => {
    await load(define(`    return { async onBar() { throw new Error('late'); } };`));
    expect((await thread.handle('mine', bar, view)).reaction.error).toContain('the handler of a bar is async');
    expect((await thread.handle('mine', bar, view)).reaction.error).toContain('the handler of a bar is async');
  });

  it('is notified of a rejected promise with the next event, and continues', async () => {
    const { error } = await react(
      `      if (bar.timeMs > 0) void Promise.resolve().then(() => {\n        throw new Error('unseen');\n      });`,
    );
    expect(error).toBeNull();
    await new Promise(setImmediate);
    const next = await thread.handle('mine', bar, view);
    expect(next.reaction.error).toMatch(/a promise that is not awaited: unseen\n\s+at .*mine\.ts:7:15/);
  });

  it('writes its console output to its log, also at the start', async () => {
    const { logs } = await react(`      console.log('close', bar.close);`, `console.log('hello');\n`);
    expect(logs.map(({ message }) => message)).toEqual(['hello', 'close 1']);
  });

  it('may log values that cannot be passed between threads', async () => {
    const { logs, error } = await react(`      trade.log('odd', { f: () => 1, date: new Date(0), n: Number.NaN });`);
    expect([error, logs[0]?.details]).toEqual([null, { date: '1970-01-01T00:00:00.000Z', n: null }]);
  });

  it.each([
    ['process', 'Object.keys(process).join() + Object.keys(process.env).join()', 'env'],
    [
      'the process of the global object',
      'typeof globalThis.process.kill + typeof process.binding',
      'undefinedundefined',
    ],
    ['the modules of Node', 'require(["node:", "fs"].join(""))', 'a strategy cannot import node:fs'],
    [
      'a module whose name is computed',
      'import(["node:", "fs"].join("")).then(() => trade.log("loaded")) && "later"',
      'later',
    ],
    [
      'the loader',
      'typeof module.constructor._load + typeof require.cache + typeof globalThis.require',
      'undefinedundefinedundefined',
    ],
    ['the streams of the console', 'String(console._stdout)', 'undefined'],
    ['a function of a text', 'Function("return process")()', 'a strategy cannot run a text as code'],
    ['eval', '(0, eval)("1")', 'a strategy cannot run a text as code'],
    ['the constructor of a function', '(() => 1).constructor("return 1")()', 'a strategy cannot run a text as code'],
    [
      'that of an asynchronous one',
      '(async () => 1).constructor("return import(\\"fs\\")")()',
      'a strategy cannot run a text as code',
    ],
    ['that of a function of Node', 'Buffer.from.constructor("return 1")()', 'a strategy cannot run a text as code'],
    ['the frames above it', 'frames()', '0'],
  ])('does not reach %s', async (_what, expression, expected) => {
    const frames = `function frames() {
      Error.prepareStackTrace = (_, sites) => sites;
      const sites = new Error('x').stack;
      return sites.filter((site) => !String(site.getFileName()).includes('mine.')).filter((site) => site.getThis() || site.getFunction()).length;
    }\n`;
    const { error, logs } = await react(`      trade.log(String(${expression}));`, `// @ts-nocheck\n${frames}`);
    expect(error ?? logs[0]?.message).toMatch(expected);
    await new Promise(setImmediate);
    expect((await thread.handle('mine', bar, view)).reaction.logs.map(({ message }) => message)).not.toContain(
      'loaded',
    );
  });

  it.each([
    ['throw { toString() { throw 1; } };', /^a thrown value that cannot be shown as text: throw an Error instead/],
    ['throw Object.create(null);', /^a thrown value that cannot be shown as text: throw an Error instead/],
    ['throw { code: 7 };', /^\{"code":7\} \(thrown without an Error\)/],
    ['throw Object.assign(new Error("odd"), { stack: 5 });', /^odd/],
    ['throw null;', /^null \(thrown without an Error\)/],
    ['throw new Proxy(new Error("x"), { get() { throw 2; } });', /^a thrown value that cannot be shown as text/],
  ])('is reported by what it threw: %s', async (thrown, text) => {
    const { error } = await react(`      ${thrown}`);
    expect(error).toMatch(text);
  });

  it('loses its thread while it allocates outside of the heap, before the watchdog', async () => {
    await load(define('    return { onBar() { const kept = []; for (;;) kept.push(Buffer.alloc(50e6, 1)); } };'));
    await expect(thread.handle('mine', bar, view)).rejects.toThrow(
      /^out of memory: the process grew by \d+ MiB while the strategy handled an event: the thread was ended$/,
    );
  });

  it('uses the close of a bar as the time', async () => {
    const { logs } = await react(`      trade.log(String(trade.timeMs));`);
    expect(logs[0]?.message).toBe('7200000');
  });

  it.each([
    [`trade.buy('main', { volume: 0 })`, 'buy: volume must be a number above 0, not 0'],
    [`trade.sell('main', {})`, 'sell: volume must be a number above 0, not undefined'],
    [`trade.buy('main', { volume: 1, sl: Number.NaN })`, 'buy: sl must be a number above 0, not NaN'],
    [`trade.buy('main', { volume: 1, tp: '1.2' })`, 'buy: tp must be a number above 0, not 1.2'],
    [`trade.buy('main', { volume: 1, kind: 'limit' })`, 'buy: a limit order needs a price'],
    [`trade.buy('main', { volume: 1, kind: 'stop_limit', price: 1 })`, 'a stop_limit order needs a stoplimit'],
    [`trade.buy('main', { volume: 1, kind: 'oco' })`, 'kind must be market, limit, stop or stop_limit, not oco'],
    [`trade.buy('main', { volume: 1, expirationMs: 5 })`, 'a market order has no expirationMs'],
    [`trade.buy('main', { volume: 1, price: 1.2 })`, 'a market order has no price'],
    [`trade.buy('main', { volume: 1, kind: 'limit', price: null })`, 'a limit order needs a price'],
    [`trade.buy('main', { volume: 1, kind: 'limit', price: 1, stoplimit: 1 })`, 'a limit order has no stoplimit'],
    [`trade.sell('main', { volume: 1, kind: 'stop', price: 1, deviation: 9 })`, 'a stop order has no deviation'],
    [`trade.buy('eur', { volume: 1 })`, 'no stream eur; the configuration has main'],
    [`trade.oco([])`, 'oco: orders must be a list of two or more'],
    [
      `trade.oco([{ stream: 'main', side: 'buy', kind: 'stop', price: 1, volume: 1 }])`,
      'oco: orders must be a list of two or more',
    ],
    [
      `trade.oco([1, 2].map((price) => ({ stream: 'main', side: 'up', kind: 'stop', price, volume: 1 })))`,
      'oco: orders[0].side must be buy or sell, not up',
    ],
    [
      `trade.oco([{ stream: 'main', side: 'buy', kind: 'stop', price: 1, volume: 1 }, { stream: 'main', side: 'sell', volume: 1 }])`,
      'oco: orders[1].kind must be limit, stop or stop_limit: a market order fills at once',
    ],
    [
      `trade.oco([1, NaN].map((price) => ({ stream: 'main', side: 'buy', kind: 'stop', price, volume: 1 })))`,
      'oco: orders[1]: price must be a number above 0, not NaN',
    ],
    [
      `trade.oco(['main', 'eur'].map((stream) => ({ stream, side: 'buy', kind: 'stop', price: 1, volume: 1 })))`,
      'no stream eur; the configuration has main',
    ],
    [`trade.closePart(7, -1)`, 'closePart: volume must be a number above 0, not -1'],
    [`trade.modify(7, {})`, 'modify: give at least one of price, stoplimit, sl, tp and expirationMs'],
    [`trade.modify(7, { price: null })`, 'modify: price cannot be removed'],
    [`trade.modify(7, { sl: 0 })`, 'modify: sl must be a number above 0, not 0'],
    [`trade.modify(7, { expirationMs: NaN })`, 'modify: expirationMs must be a number above 0, not NaN'],
    [`trade.close(trade.position('main'))`, 'expected a position or an order, got null'],
    [`trade.protect(7, { sl: Infinity })`, 'protect: sl must be a number above 0, not Infinity'],
    [
      `trade.stack({ stream: 'main', direction: 'up', layers: 2, spacing: 1, volume: 1 })`,
      'direction must be buy or sell',
    ],
    [
      `trade.stack({ stream: 'main', direction: 'buy', layers: 0, spacing: 1, volume: 1 })`,
      'layers must be an integer, 1',
    ],
    [
      `trade.stack({ stream: 'main', direction: 'buy', layers: 2, spacing: NaN, volume: 1 })`,
      'spacing must be above 0',
    ],
  ])('asks for nothing by %s, and is shown the line', async (call, problem) => {
    const { error, intents } = await react(`      ${call};`);
    expect([intents, error]).toEqual([[], expect.stringContaining(problem)]);
    expect(error).toMatch(/mine\.ts:6:\d+/);
  });

  describe('parameters', () => {
    const nested = `import { defineStrategy } from '@libs/strategy';
import { IsIn, IsInt, Min, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
class Exit { @IsInt() @Min(1) bars: number = 5; }
class Params {
  @IsIn(['a', 'b']) mode: string = 'a';
  @ValidateNested() @Type(() => Exit) exit: Exit = new Exit();
  @ValidateNested({ each: true }) @Type(() => Exit) exits: Exit[] = [];
}
export default defineStrategy({ version: 1, params: Params, create: () => ({}) });`;
    const plain = `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 1, params: class { every = 60; name = 'x'; }, create: () => ({}) });`;

    it('are named by their path, also nested ones and list members', async () => {
      const params = { mode: 'c', exit: { bars: 'x' }, exits: [{ bars: 1 }, { bars: 0 }] };
      await expect(load(nested, { params })).rejects.toThrow(
        'params: mode must be one of the following values: a, b (it is "c"); exit.bars must not be less than 1 (it is "x"); ' +
          'exit.bars must be an integer number (it is "x"); exits.1.bars must not be less than 1 (it is 0)',
      );
      expect((await load(nested, { params: { exit: { bars: 7 } } })).params).toEqual({
        mode: 'a',
        exit: { bars: 7 },
        exits: [],
      });
    });

    it('of plain JavaScript are of the kind of their defaults', async () => {
      const js = { name: 'mine.mjs' };
      expect((await load(plain, { ...js, params: { every: 5 } })).params).toEqual({ every: 5, name: 'x' });
      await expect(load(plain, { ...js, params: { every: '5', evry: 1 } })).rejects.toThrow(
        'params: evry is not a parameter of this strategy; the parameters are every, name; every must be a number, as its default is (it is "5")',
      );
    });
  });
});
