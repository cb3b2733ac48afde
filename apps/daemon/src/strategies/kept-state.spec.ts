import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { pino } from 'pino';
import { LatencyBook } from '../latency/latency-book';
import { BarRecord } from '../logs/bar-record';
import { StrategyLog } from '../logs/strategy-log';
import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';
import { spec } from '../core/testing/spec';
import { EventHandler } from './event-handler';
import { LiveStrategy } from './live-strategy';
import { MarketClock } from '../live/strategy-market';
import { bundleStrategy } from './strategy-bundler';
import type { ThreadHost } from './thread-host';
import { Threads } from './threads';
import { workerThreads } from './worker-threads';

const clock = new SystemClock();
const logger = pino({ level: 'silent' });
const minute = {
  ...{ time: '2024-01-01T00:00:00Z', time_server: 1_704_067_200, open: 1.1, high: 1.1, low: 1.1, close: 1.1 },
  tick_volume: 1,
};

/** A strategy in its thread, with its trading on a simulated disk and before a gateway. */
class KeptWorld {
  /** What the core of the strategy received, over all starts. */
  readonly events: { readonly type: string }[] = [];
  private running: DeskRig | null = null;
  private live: LiveStrategy | null = null;
  private bars = 0;

  private constructor(
    readonly gateway: ContractGateway,
    readonly disk: SimulatedDisk,
    private readonly host: ThreadHost,
  ) {}

  static async start(host: ThreadHost): Promise<KeptWorld> {
    const gateway = await ContractGateway.start();
    gateway.bars.push(minute, { ...minute, time: '2024-01-01T00:01:00Z', time_server: 1_704_067_260 });
    const disk = new SimulatedDisk(clock, () => 0.5);
    const world = new KeptWorld(gateway, disk, host);
    await world.startRig();
    return world;
  }

  get rig(): DeskRig {
    if (!this.running) throw new Error('no process runs');
    return this.running;
  }

  private async startRig(): Promise<void> {
    const write = (line: string): void => {
      const { event } = JSON.parse(line) as { readonly event?: { readonly type: string } };
      if (event) this.events.push(event);
    };
    const { stores } = this.disk.view;
    this.running = await DeskRig.start(this.gateway, {
      ...{ stateDir: '/state', clock, stores, recordings: { of: () => ({ write }) } },
    });
  }

  /** The process ends at this instant, and another one starts on its disk. */
  async crash(): Promise<void> {
    this.rig.hub.stop();
    this.rig.stopNow();
    this.disk.crash('process');
    await this.live?.end();
    await this.startRig();
  }

  /** Loads a strategy with this definition of its state, which does this with each bar. */
  async load(onBar: string, state = '{ version: 1, initial: { count: 0 } }'): Promise<LiveStrategy> {
    await this.live?.end();
    const { rig } = this;
    const { session, hub, trading } = rig;
    const module = join(mkdtempSync(join(tmpdir(), 'kept-')), 'mine.ts');
    writeFileSync(
      module,
      `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 1, params: class {}, state: ${state}, create: () => ({
  onBar(bar, trade) { ${onBar} },
}) });`,
    );
    const threads = new Threads(this.host, { watchdogMs: 10_000, maxHeapMb: 32 }, clock);
    for (const stream of rig.book.spec.streams) await hub.subscribe(stream, 2, () => undefined);
    this.live = await LiveStrategy.load(
      { ...spec, module },
      await bundleStrategy(module),
      { seat: threads.seat('ema', null), idPrefix: `${++this.bars}-` },
      { clock, barWaitMs: 0, gateways: new Map([['demo', { hub, session }]]) },
      { trading, queue: { add: () => undefined } },
    );
    return this.live;
  }

  /** Delivers a bar to the strategy, and performs what follows. */
  async bar(): Promise<void> {
    const { live, rig } = this;
    if (!live) throw new Error('no strategy is loaded');
    const log = new StrategyLog(join(tmpdir(), 'kept-state', `${process.pid}.log`), clock, logger);
    const bars = new BarRecord(join(tmpdir(), 'kept-state', `${process.pid}.bars`), log);
    const handler = new EventHandler(new MarketClock(live.market), log, new LatencyBook(false), bars);
    const timeMs = Date.UTC(2024, 0, 1) + ++this.bars * 60_000;
    const series = { stream: 'eur', symbol: 'EURUSD', timeframe: 'M1', timeMs, lateMs: 0 };
    const bar = { ...series, open: 1, high: 1, low: 1, close: 1, tickVolume: 1 };
    const times = { serverMs: timeMs, closedMs: timeMs + 60_000, onArrival: null };
    const event = { type: 'bar', warmingUp: false, ...times, bar } as const;
    await handler.handle(live, rig.trading, { type: 'event', event, receivedNanos: null });
  }

  async end(): Promise<void> {
    this.rig.hub.stop();
    await this.live?.end();
    await this.rig.stop();
    await this.gateway.stop();
  }

  get stored(): unknown {
    return this.rig.store.kept('ema');
  }
}

const buyOnce = `if (!trade.state.bought) { trade.state.bought = true; trade.buy('eur', { volume: 0.1 }); }`;
const countAndBuy = `trade.state.count++; trade.buy('eur', { volume: 0.1 });`;

describe('what a strategy keeps', () => {
  let host: ThreadHost;
  let world: KeptWorld;
  beforeAll(async () => (host = await workerThreads()));
  beforeEach(async () => (world = await KeptWorld.start(host)));
  afterEach(() => world.end());

  const record = (json: string, version = 1) => ({ strategy: 'ema', version, json });

  it('is on disk before an order of the same handler is sent', async () => {
    await world.load(countAndBuy);
    await world.bar();
    expect(world.gateway.sends).toHaveLength(1);
    expect(world.stored).toEqual(record('{"count":1}'));
    const types = world.events.map(({ type }) => type);
    expect(types.slice(types.indexOf('state')).slice(0, 3)).toEqual(['state', 'persisted', 'intent']);
  });

  it('is restored after a crash: sent orders are known, and not sent again', async () => {
    await world.load(buyOnce);
    await world.bar();
    await world.crash();
    const { state } = await world.load(buyOnce);
    expect(state).toEqual({ version: 1, json: '{"count":0,"bought":true}' });
    await world.bar();
    expect(world.gateway.sends).toHaveLength(1);
  });

  it('is restored after the loss of the thread', async () => {
    await world.load(countAndBuy);
    await world.bar();
    expect((await world.load(countAndBuy)).state?.json).toBe('{"count":1}');
  });

  it('denies entries while it cannot be written, lets exits pass, and is written later', async () => {
    await world.load(`trade.state.count++; for (const p of trade.positions()) trade.close(p); ${countAndBuy}`);
    await world.bar();
    world.disk.setReadOnly(true);
    await world.bar();
    expect(world.gateway.sends.map(({ path }) => path)).toEqual(['/order', '/close_position']);
    expect(world.rig.rejects).toMatchObject([{ kind: 'denied', reason: 'the state cannot be written' }]);
    expect(world.stored).toEqual(record('{"count":2}'));
    world.disk.setReadOnly(false);
    await world.rig.sync.now();
    while (world.rig.persistence.lastError !== null) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(world.stored).toEqual(record('{"count":4}'));
    await world.bar();
    expect(world.gateway.sends.filter(({ path }) => path === '/order')).toHaveLength(2);
  });

  it('denies the entries of a handler whose state cannot be kept, and lets its exits pass', async () => {
    await world.load(`for (const p of trade.positions()) trade.close(p);
      if (trade.position('eur')) trade.state.at = new Date(0);
      ${countAndBuy}`);
    await world.bar();
    await world.bar();
    expect(world.gateway.sends.map(({ path }) => path)).toEqual(['/order', '/close_position']);
    expect(world.rig.rejects).toMatchObject([{ kind: 'denied', reason: 'trade.state cannot be kept' }]);
    expect(world.stored).toEqual(record('{"count":1}'));
  });

  it('is migrated by a new version as it is at the swap', async () => {
    const before = await world.load(countAndBuy);
    const two = `{ version: 2, initial: { total: 0 }, migrate: (old, version) => ({ total: old.count, from: version }) }`;
    await world.bar();
    const next = await world.load(`trade.state.total += 10;`, two);
    expect(next.state?.json).toBe('{"total":1,"from":1}');
    await world.rig.trading.keep({ version: 1, json: '{"count":5}' });
    await next.adoptState();
    expect(next.state).toEqual({ version: 2, json: '{"total":5,"from":1}' });
    await world.bar();
    expect(world.stored).toEqual(record('{"total":15,"from":1}', 2));
    await before.end();
  });

  it('does not start a strategy that cannot migrate it', async () => {
    await world.load(countAndBuy);
    await world.bar();
    await expect(world.load('', '{ version: 2, initial: {} }')).rejects.toThrow(
      'the stored state has version 1, and the strategy declares state.version 2: add state.migrate',
    );
  });
});
