import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { pino } from 'pino';
import { GatewaySession } from '../gateways/gateway-session';
import { MarketHub } from '../market-data/market-hub';
import { Clockwork } from '../testing/clockwork';
import { ContractGateway } from '../testing/contract-gateway';
import { spec } from '../core/testing/spec';
import { AccountSync } from '../live/account-sync';
import { LiveStrategy } from './live-strategy';
import { bundleStrategy } from './strategy-bundler';
import { Threads } from './threads';
import { workerThreads } from './worker-threads';

const minuteMs = 60_000;
const view = { positions: [], orders: [], equity: 1_000, inFlight: 0, quotes: {}, symbols: {}, accounts: {} };
const streams = [
  { alias: 'slow', broker: 'demo', symbol: 'EURUSD', timeframe: 'H1' },
  { alias: 'fast', broker: 'demo', symbol: 'EURUSD', timeframe: 'M5' },
];

/** Remembers the bars of its past, and says them at the first live one. */
const strategy = `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({
  version: 1, params: class {}, streams: ['fast', 'slow'], warmupBars: { fast: 3, slow: 2 },
  create: ({ streams: { fast, slow } }) => {
    const past = [];
    return {
      onBar(bar, trade) {
        const seen = [fast, slow].map((stream) => trade.bars(stream, 9).length);
        if (trade.warmingUp) past.push(bar.stream + ' ' + bar.timeMs / ${minuteMs} + ' of ' + seen.join('/'));
        else for (const line of past) trade.log(line);
      },
    };
  },
});
`;
const row = (minute: number) => {
  const prices = { open: 1, high: 1, low: 1, close: 1, tick_volume: 1 };
  return { time: new Date(minute * minuteMs).toISOString(), time_server: minute * 60, ...prices };
};

describe('LiveStrategy', () => {
  let gateway: ContractGateway;
  let work: Clockwork;
  let hub: MarketHub;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    work = new Clockwork();
  });
  afterEach(async () => {
    hub.stop();
    await work.clock.advance(60_000);
    await gateway.stop();
  });

  /** @param seen receives the quotes for stacks and trailing stops */
  async function loaded(seen: unknown[] = [], text = strategy): Promise<LiveStrategy> {
    const gatewaySpec = { name: 'demo', url: gateway.url, apiKeyEnv: 'K', maxClockSkewMs: null };
    const session = new GatewaySession({ ...gatewaySpec, expect: { login: null, tradeMode: null } }, 'k');
    const sync = new AccountSync(session, { ownerOf: () => null }, work.clock);
    hub = new MarketHub(session, sync, work.clock, pino({ level: 'silent' }));
    const path = join(mkdtempSync(join(tmpdir(), 'live-')), 'mine.ts');
    writeFileSync(path, text);
    const threads = new Threads(await workerThreads(), { watchdogMs: 10_000, maxHeapMb: 32 }, new SystemClock());
    const trading = {
      view: () => view,
      kept: null,
      see: (...quote: unknown[]) => void seen.push(quote),
    };
    return LiveStrategy.load(
      { ...spec, module: path, params: {}, streams },
      await bundleStrategy(path),
      { seat: threads.seat('mine', null), idPrefix: '' },
      { clock: work.clock, barWaitMs: 2_000, gateways: new Map([['demo', { hub, session }]]) },
      { trading, queue: { add: () => undefined } },
    );
  }

  /** The bars that it was warmed up with. */
  async function pastOf(text = strategy): Promise<readonly string[]> {
    const live = await loaded([], text);
    await work.inTime(live.warmUp());
    const times = { serverMs: 900 * minuteMs, closedMs: 905 * minuteMs, onArrival: null };
    const bar = { stream: 'fast', symbol: 'EURUSD', timeframe: 'M5', timeMs: 900 * minuteMs };
    const prices = { open: 1, high: 1, low: 1, close: 1, tickVolume: 1, lateMs: 0 };
    const event = { type: 'bar', warmingUp: false, ...times, bar: { ...bar, ...prices } } as const;
    const { reaction } = await live.handle(event, view);
    await live.end();
    return reaction.logs.map(({ message }) => message);
  }

  it('passes the quotes of its streams on to its stacks and trailing stops, once it is live', async () => {
    gateway.ownBars.set('EURUSD@M5', [630, 635, 640, 645, 650, 655, 660].map(row));
    gateway.ownBars.set('EURUSD@H1', [480, 540, 600, 660].map(row));
    const seen: unknown[] = [];
    const live = await loaded(seen);
    await work.inTime(live.warmUp());
    await work.inTime(hub.refresh('EURUSD'));
    expect(seen).toEqual([]);
    live.goLive(() => undefined);
    Object.assign(gateway.tick, { bid: 1.2, ask: 1.3, time_msc: 5 });
    await work.inTime(hub.refresh('EURUSD'));
    await live.end();
    const quote = expect.objectContaining({ bid: 1.2, ask: 1.3 });
    expect(seen).toEqual(
      ['slow', 'fast'].map((alias): unknown[] => [
        alias,
        quote,
        expect.objectContaining({ tickSize: 0.00001, stopsDistance: 0.0001 }),
      ]),
    );
  });

  it('warms up with the past of all its streams merged by time, as many bars of each as it asks for', async () => {
    gateway.ownBars.set('EURUSD@M5', [630, 635, 640, 645, 650, 655, 660].map(row));
    gateway.ownBars.set('EURUSD@H1', [480, 540, 600, 660].map(row));
    expect(await pastOf()).toEqual([
      'slow 540 of 0/1',
      'fast 645 of 1/1',
      'fast 650 of 2/1',
      // Both close at eleven: the hour first.
      'slow 600 of 2/2',
      'fast 655 of 3/2',
    ]);
  });

  it('warms up with hundreds of bars in their order, and ends at the first whose handler throws', async () => {
    const minutes = Array.from({ length: 202 }, (_unused, index) => 5 * index);
    gateway.ownBars.set('EURUSD@M5', minutes.map(row));
    gateway.ownBars.set('EURUSD@H1', [0, 60].map(row));
    const many = strategy.replace('fast: 3, slow: 2', 'fast: 200');
    const times = (await pastOf(many)).map((line) => Number(/^fast (\d+) of/.exec(line)?.[1]));
    expect(times).toEqual(minutes.slice(1, 201));
    const throws = `if (bar.timeMs >= ${500 * minuteMs}) throw new Error('not at ' + bar.timeMs / ${minuteMs});\n`;
    const live = await loaded([], many.replace('onBar(bar, trade) {', `onBar(bar, trade) { ${throws}`));
    await expect(work.inTime(live.warmUp())).rejects.toThrow('not at 500');
    await live.end();
  });

  it('counts a bar of one stream that arrives before it has joined the next as history', async () => {
    const [fast, slow] = [[650, 655, 660].map(row), [540, 600, 660].map(row)];
    gateway.ownBars.set('EURUSD@M5', fast);
    gateway.ownBars.set('EURUSD@H1', slow);
    // The hour closes while the M5 bars are read; a second read of the hours shows that the bar was handed on.
    let reads = 0;
    gateway.beforeAnswer = async ({ searchParams }) => {
      if (searchParams.get('timeframe') === 'H1') reads++;
      if (searchParams.get('timeframe') !== 'M5' || slow.length > 3) return;
      fast.push(...[705, 710, 715, 720].map(row));
      slow.push(row(720));
      const before = reads;
      while (reads < before + 3) await new Promise((resolve) => setTimeout(resolve, 2));
    };
    expect((await pastOf()).map((line) => line.split(' of ')[0])).toEqual([
      ...['slow 540', 'slow 600', 'fast 705', 'fast 710', 'slow 660', 'fast 715'],
    ]);
  });
});
