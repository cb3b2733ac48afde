import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock, VirtualClock } from '@libs/clock';
import { bundleStrategy } from './strategy-bundler';
import { StrategyThread } from './strategy-thread';
import type { StrategyEvent } from '../core/strategy-event';
import type { ToWorker } from './worker/messages';
import type { View } from '../live/view';
import type { StrategyWorker, ThreadHost, WorkerListener } from './thread-host';
import { workerThreads } from './worker-threads';

const view: View = { positions: [], orders: [], equity: 1_000, inFlight: 0, quotes: {}, symbols: {}, accounts: {} };
const stream = { alias: 'eur', symbol: 'EURUSD', timeframe: 'M1', broker: 'demo' };
const bar: StrategyEvent & { readonly type: 'bar' } = {
  type: 'bar',
  warmingUp: false,
  serverMs: 60_000,
  closedMs: 120_000,
  onArrival: null,
  bar: {
    stream: 'eur',
    symbol: 'EURUSD',
    timeframe: 'M1',
    timeMs: 60_000,
    open: 1,
    high: 1,
    low: 1,
    close: 1,
    tickVolume: 1,
    lateMs: 0,
  },
};

function strategyFile(onBar: string, head: string, members: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'strategy-')), 'probe.ts');
  writeFileSync(
    path,
    `import { defineStrategy, type Bar, type Trade } from '@libs/strategy';
import { IsInt } from 'class-validator';
${head}
class Params { @IsInt() length: number = 3; ${members} }
export default defineStrategy({
  version: 2, params: Params, warmupBars: ({ length }) => length * 2,
  create: ({ params, streams }) => ({
    onBar(bar: Bar, trade: Trade) {
${onBar}
    },
  }),
});
`,
  );
  return path;
}

describe('StrategyThread', () => {
  let host: ThreadHost;
  let thread: StrategyThread;

  beforeAll(async () => {
    host = await workerThreads();
  });
  beforeEach(() => {
    thread = new StrategyThread(host, { watchdogMs: 30_000, maxHeapMb: 32 }, new SystemClock());
  });
  afterEach(() => thread.end());

  async function load(onBar: string, params: Record<string, unknown> = {}, head = '', members = '') {
    const bundle = await bundleStrategy(strategyFile(onBar, head, members));
    return thread.load({ name: 'probe', ...bundle, params, streams: [stream], idPrefix: 's-', state: null });
  }

  it('loads a TypeScript file and lets it trade', async () => {
    const loaded = await load(`trade.buy('eur', { volume: 0.1, sl: params.length }); trade.log('bought');`);
    expect(loaded).toEqual({
      version: 2,
      params: { length: 3 },
      pastBars: { eur: 6 },
      warmupBars: { eur: 6 },
      wantsTicks: false,
      wantsFills: false,
      state: null,
    });
    const { reaction, startedNanos, endedNanos } = await thread.handle('probe', bar, view);
    expect(reaction).toEqual({
      intents: [{ id: 's-1', action: 'enter', side: 'buy', stream: 'eur', options: { volume: 0.1, sl: 3 } }],
      logs: [{ message: 'bought', details: null }],
      error: null,
      state: null,
      stateProblem: null,
    });
    expect(endedNanos).toBeGreaterThan(startedNanos);
  });

  it('ignores actions during the warm-up', async () => {
    await load(`trade.buy('eur', { volume: 0.1 });`);
    const { reaction } = await thread.handle('probe', { ...bar, warmingUp: true }, view);
    expect(reaction.intents).toEqual([]);
  });

  it('refuses parameters by name', async () => {
    await expect(load('', { length: 'long', lenght: 3 })).rejects.toThrow(
      /lenght is not a parameter of this strategy.*length must be an integer|length must be an integer.*lenght is not a parameter/,
    );
  });

  it('checks parameters by rules whose packages are loaded when they are needed', async () => {
    const head = `import { IsEmail, IsPhoneNumber } from 'class-validator';`;
    const members = `@IsEmail() mail: string = 'a@example.com'; @IsPhoneNumber('CH') phone: string = '044 668 18 00';`;
    await expect(load('', { mail: 'none', phone: '0' }, head, members)).rejects.toThrow(
      /mail must be an email.*phone must be a valid phone number/,
    );
    const { params } = await load('', { mail: 'b@example.com' }, head, members);
    expect(params).toMatchObject({ mail: 'b@example.com', phone: '044 668 18 00' });
  });

  it('names the line of the strategy file that threw', async () => {
    await load(`\n\n  throw new Error('out of ideas');`);
    const { reaction } = await thread.handle('probe', bar, view);
    expect(reaction.error).toContain('out of ideas');
    expect(reaction.error).toMatch(/probe\.ts:11:/);
  });

  it.each([
    ['clock', 'Date.now();'],
    ['clock', 'new Date();'],
    ['randomness', 'Math.random();'],
    ['fetch is not defined', `(fetch as any)('http://127.0.0.1');`],
  ])('gives a strategy no %s of its own', async (what, code) => {
    await load(code);
    expect((await thread.handle('probe', bar, view)).reaction.error).toContain(what);
  });

  it('does not bundle a strategy that imports the file system', async () => {
    await expect(load('readFileSync;', {}, `import { readFileSync } from 'node:fs';`)).rejects.toThrow(
      /probe\.ts:3:.*node:fs/,
    );
  });

  it('ends a strategy in an endless loop', async () => {
    await thread.end();
    thread = new StrategyThread(host, { watchdogMs: 5_000, maxHeapMb: 32 }, new SystemClock());
    await load('for (;;);');
    await expect(thread.handle('probe', bar, view)).rejects.toThrow('no answer within 5000 ms');
    await expect(thread.handle('probe', bar, view)).rejects.toThrow('no answer within 5000 ms');
  });

  it('survives a strategy that uses up its memory', async () => {
    await load('const hoard: number[][] = []; for (;;) hoard.push(new Array(10_000).fill(1));');
    await expect(thread.handle('probe', bar, view)).rejects.toThrow(/memory/);
  });
});

/** A thread whose calls are answered by hand. */
class HandThread implements ThreadHost {
  readonly posted: ToWorker[] = [];
  private listener: WorkerListener | null = null;

  start(_maxHeapMb: number, listener: WorkerListener): StrategyWorker {
    this.listener = listener;
    return { post: (message) => void this.posted.push(message), terminate: () => Promise.resolve() };
  }

  /** Answers the oldest call. */
  answer(): void {
    const message = this.posted.shift();
    if (message) this.listener?.onMessage({ type: 'unloaded', call: message.call });
  }
}

describe('the calls of one thread', () => {
  it('are posted at once, and each has the whole limit from the answer to the one before', async () => {
    const [host, clock] = [new HandThread(), new VirtualClock()];
    const thread = new StrategyThread(host, { watchdogMs: 1_000, maxHeapMb: 32 }, clock);
    const calls = Promise.allSettled(['one', 'two', 'three'].map((name) => thread.unload(name)));
    expect(host.posted).toHaveLength(3);
    await clock.advance(900);
    host.answer();
    await clock.advance(900);
    expect(thread.isLost).toBe(false);
    await clock.advance(200);
    expect(thread.isLost).toBe(true);
    const lost = { status: 'rejected', reason: { culprit: 'two' } };
    expect(await calls).toMatchObject([{ status: 'fulfilled' }, lost, lost]);
  });
});
