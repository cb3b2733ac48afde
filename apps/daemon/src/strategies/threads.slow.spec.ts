import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { bundleStrategy } from './strategy-bundler';
import { Threads, type Seat } from './threads';
import type { StrategyEvent } from '../core/strategy-event';
import type { View } from '../live/view';
import type { ThreadHost } from './thread-host';
import { workerThreads } from './worker-threads';

const view: View = { positions: [], orders: [], equity: 1_000, inFlight: 0, quotes: {}, symbols: {}, accounts: {} };
const stream = { alias: 'eur', symbol: 'EURUSD', timeframe: 'M1', broker: 'demo' };
const prices = { open: 1, high: 1, low: 1, close: 1, tickVolume: 1, lateMs: 0 };
const bar: StrategyEvent = {
  type: 'bar',
  warmingUp: false,
  serverMs: 60_000,
  closedMs: 120_000,
  onArrival: null,
  bar: { stream: 'eur', symbol: 'EURUSD', timeframe: 'M1', timeMs: 60_000, ...prices },
};
const burn = (iterations: string): string =>
  `let x = 0; for (let i = 0; i < ${iterations}; i++) x += i; trade.log(String(x));`;

describe('strategies that share a thread', () => {
  const folder = mkdtempSync(join(tmpdir(), 'threads-'));
  let host: ThreadHost;
  let threads: Threads;
  const seats: Seat[] = [];

  beforeAll(async () => {
    host = await workerThreads();
  });
  beforeEach(() => {
    threads = new Threads(host, { watchdogMs: 4_000, maxHeapMb: 64 }, new SystemClock());
  });
  afterEach(async () => {
    await Promise.all(seats.splice(0).map((seat) => seat.leave()));
  });

  async function deploy(name: string, onBar: string, group: string | null = 'shared', file = name): Promise<Seat> {
    const path = join(folder, `${file}.ts`);
    writeFileSync(
      path,
      `import { defineStrategy } from '@libs/strategy';
class Params {}
let total = 0;
export default defineStrategy({ version: 1, params: Params, create: () => ({
  onBar(bar, trade) {
    total++;
    ${onBar}
  },
}) });
`,
    );
    const seat = threads.seat(name, group);
    seats.push(seat);
    await seat.load(await bundleStrategy(path), { params: {}, streams: [stream], idPrefix: `${name}-`, state: null });
    return seat;
  }
  const logged = async (seat: Seat): Promise<readonly string[]> =>
    (await seat.handle(bar, view)).reaction.logs.map(({ message }) => message);

  it('have each their own state, also by one file', async () => {
    const tell = 'trade.log(`${total}`);';
    const [one, two] = [await deploy('one', tell, 'shared', 'file'), await deploy('two', tell, 'shared', 'file')];
    expect([await logged(one), await logged(one), await logged(two)]).toEqual([['1'], ['2'], ['1']]);
  });

  it('are named by their own lines when they throw, after one of the same file has left', async () => {
    const fail = `throw new Error('no idea');`;
    const [one, two] = [await deploy('one', fail, 'shared', 'file'), await deploy('two', fail, 'shared', 'file')];
    await one.leave();
    for (let round = 0; round < 20; round++) await two.handle(bar, view);
    expect((await two.handle(bar, view)).reaction.error).toMatch(/no idea[^]*file\.ts:7:/);
    await expect(one.handle(bar, view)).rejects.toThrow('no strategy one');
  });

  it('keep their own lines when another version of their file is loaded beside them', async () => {
    const old = await deploy('one', `throw new Error('old');`, 'shared', 'file');
    const fresh = await deploy('one', `\n\n\n\n\nthrow new Error('fresh');`, 'shared', 'file');
    expect((await old.handle(bar, view)).reaction.error).toMatch(/old[^]*file\.ts:7:/);
    expect((await fresh.handle(bar, view)).reaction.error).toMatch(/fresh[^]*file\.ts:12:/);
  });

  it('have no clock, randomness or network there either', async () => {
    const one = await deploy('one', 'Date.now();');
    const two = await deploy('two', 'Math.random();');
    expect((await one.handle(bar, view)).reaction.error).toContain('no clock');
    expect((await two.handle(bar, view)).reaction.error).toContain('no source of randomness');
  });

  it('are timed one by one: waiting for the others does not count', async () => {
    // Ten events that take a while each take longer than the watchdog allows one of them, but none does alone.
    const names = Array.from({ length: 10 }, (_unused, index) => `slow-${index}`);
    const slow = await Promise.all(names.map((name) => deploy(name, burn('250_000_000'))));
    await Promise.all(slow.map((seat) => seat.handle(bar, view)));
    expect(await logged(slow[0] ?? (await deploy('none', '')))).toHaveLength(1);
  });

  it('are all lost with the thread, and the error names the strategy that ended it', async () => {
    const hang = await deploy('hang', 'for (;;);');
    const other = await deploy('other', '');
    const apart = await deploy('apart', '', 'another');
    const losses: string[] = [];
    other.whenLost((error) => losses.push(error.message));
    apart.whenLost((error) => losses.push(error.message));
    const [own, waiting] = await Promise.allSettled([hang.handle(bar, view), other.handle(bar, view)]);
    const why = 'no answer within 4000 ms: the thread was ended';
    expect(own).toMatchObject({ status: 'rejected', reason: { message: why } });
    const seen = `hang ended the shared thread: ${why}`;
    expect(waiting).toMatchObject({ status: 'rejected', reason: { message: seen } });
    expect(losses).toEqual([seen]);
    expect(await logged(await deploy('other', 'trade.log("again");'))).toEqual(['again']);
  });

  it.each([
    ['uses up the memory', 'globalThis.kept = new Uint8Array(80 << 20);'],
    ['loops for ever', 'for (;;);'],
  ])('get the answers of the calls before that of one that %s', async (_what, ending) => {
    const before = await deploy('before', 'trade.log("done");');
    const last = await deploy('last', ending);
    const behind = await deploy('behind', '');
    const calls = Promise.allSettled([before, last, behind].map((seat) => seat.handle(bar, view)));
    // The answer and the end of the thread are there before this thread reads either.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    const settled = await calls;
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(settled[1]).toMatchObject({ reason: { message: expect.not.stringContaining('shared thread') as string } });
    expect(settled[2]).toMatchObject({ reason: { culprit: expect.stringMatching(/^last#/) as string } });
  });

  it('are lost with an error that names the strategy that used up the memory, inside and outside of the heap', async () => {
    const outside = await deploy(
      'outside',
      'globalThis.kept = Array.from({ length: 80 }, () => new Uint8Array(1 << 20));',
    );
    const other = await deploy('other', '');
    const lost = new Promise<string>((resolve) => other.whenLost((error) => resolve(error.message)));
    await expect(outside.handle(bar, view)).rejects.toThrow('out of memory');
    expect(await lost).toMatch(/^outside ended the shared thread: out of memory/);
    const inside = await deploy(
      'inside',
      'const hoard: number[][] = []; for (;;) hoard.push(new Array(10_000).fill(1));',
    );
    await expect(inside.handle(bar, view)).rejects.toThrow(/memory/);
  });

  it('keep it while one of them is there, and get a new one after the last', async () => {
    const first = await deploy('first', 'globalThis.marked = true;');
    const second = await deploy('second', 'trade.log(String((globalThis as any).marked));');
    await first.handle(bar, view);
    await first.leave();
    expect(await logged(second)).toEqual(['true']);
    await second.leave();
    expect(await logged(await deploy('third', 'trade.log(String((globalThis as any).marked));'))).toEqual([
      'undefined',
    ]);
  });

  it('are notified if the thread ends while none of them runs', async () => {
    const leaving = await deploy('leaving', `queueMicrotask(() => {\n throw new Error('gone');\n});`);
    const lost = new Promise<string>((resolve) => leaving.whenLost((error) => resolve(error.message)));
    await leaving.handle(bar, view).catch(() => undefined);
    expect(await lost).toContain('gone');
  });
});
