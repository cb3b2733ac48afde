import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import type { Fill } from '@libs/strategy';
import { pino } from 'pino';
import type { StrategyEvent } from '../core/strategy-event';
import { LatencyBook } from '../latency/latency-book';
import { parseBarLine, BarRecord } from '../logs/bar-record';
import { StrategyLog } from '../logs/strategy-log';
import { backtest } from '../strategy-testing/backtest';
import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';
import { spec } from '../core/testing/spec';
import { printedBy } from '../testing/printed';
import { EventHandler } from './event-handler';
import { LiveStrategy } from './live-strategy';
import { MarketClock } from '../live/strategy-market';
import { bundleStrategy } from './strategy-bundler';
import { Threads } from './threads';
import { workerThreads } from './worker-threads';

const clock = new SystemClock();
const [hourMs, minuteMs] = [3_600_000, 60_000];
const openMs = Date.UTC(2024, 0, 2, 22, 4);
const series = { stream: 'eur', symbol: 'EURUSD', timeframe: 'M1', lateMs: 0 };
const prices = { open: 1, high: 1, low: 1, close: 1, tickVolume: 1 };

/** Writes a line for each event that it receives. */
const strategy = `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 1, params: class {}, create: () => ({
  onBar(bar, trade) { trade.log('bar', { close: bar.close }); },
  onTick(tick, trade) { trade.log('tick'); },
  onFill(fill, trade) { trade.log('fill'); },
  onReject(reject, trade) { trade.log('reject'); },
  onOrderGone(gone, trade) { trade.log('gone'); },
}) });`;

/** The bar that opens at 22:04 UTC. @param aheadMs how far the broker's clock is ahead of UTC; null while its zone is not known */
const barOf = (aheadMs: number | null): StrategyEvent => {
  const serverMs = openMs + (aheadMs ?? 2 * hourMs);
  const bar = { ...series, ...prices, timeMs: aheadMs === null ? serverMs : openMs };
  return { type: 'bar', warmingUp: false, serverMs, closedMs: serverMs + minuteMs, onArrival: null, bar };
};
const fillAt = (timeMs: number | null): Fill => ({
  ...{ intentId: 'i', deal: 1, position: 1, stream: 'eur', tag: null, symbol: 'EURUSD', side: 'buy', entry: 'in' },
  ...{ reason: 'strategy', volume: 0.1, price: 1, realized: 0, timeMs },
});
const reject: StrategyEvent = {
  type: 'reject',
  reject: { intentId: 'i', kind: 'denied', reason: 'stale_bar', retcode: null },
};
const gone: StrategyEvent = {
  type: 'gone',
  gone: { intentId: 'i', order: 1, stream: 'eur', symbol: 'EURUSD', kind: 'expired', volume: 0.1, filled: 0 },
};

describe('the log of a live strategy', () => {
  let gateway: ContractGateway;
  let rig: DeskRig;
  let live: LiveStrategy;
  const barsPath = join(mkdtempSync(join(tmpdir(), 'broker-time-')), 'ema.bars');

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    const row = { time: new Date(openMs).toISOString(), time_server: (openMs + 2 * hourMs) / 1_000, tick_volume: 1 };
    gateway.bars.push({ ...row, open: 1, high: 1, low: 1, close: 1 });
  });
  afterEach(async () => {
    await live.end();
    await rig.stop();
    await gateway.stop();
  });

  /** @param timeUtc of the newest quote, which is of 00:07:30 on the broker's clock */
  async function linesOf(timeUtc: string | null, events: readonly StrategyEvent[]): Promise<readonly string[]> {
    Object.assign(gateway.tick, { time_utc: timeUtc, time_msc: Date.UTC(2024, 0, 3, 0, 7, 30) });
    rig = await DeskRig.start(gateway);
    const { session, hub, trading } = rig;
    const folder = mkdtempSync(join(tmpdir(), 'broker-time-'));
    const module = join(folder, 'mine.ts');
    writeFileSync(module, strategy);
    const threads = new Threads(await workerThreads(), { watchdogMs: 10_000, maxHeapMb: 32 }, clock);
    for (const stream of rig.book.spec.streams) await hub.subscribe(stream, 0, () => undefined);
    live = await LiveStrategy.load(
      { ...spec, module },
      await bundleStrategy(module),
      { seat: threads.seat('ema', null), idPrefix: '' },
      { clock, barWaitMs: 0, gateways: new Map([['demo', { hub, session }]]) },
      { trading, queue: { add: () => undefined } },
    );
    const log = new StrategyLog(join(folder, 'ema.log'), clock, pino({ level: 'silent' }));
    const bars = new BarRecord(barsPath, log);
    const handler = new EventHandler(new MarketClock(live.market), log, new LatencyBook(false), bars);
    for (const event of events) await handler.handle(live, trading, { type: 'event', event, receivedNanos: null });
    await bars.flushed();
    await log.flushed();
    const lines = readFileSync(log.file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => line.split(' INFO ')[1] ?? line);
  }

  it('has the time of each event on the clock of the broker if its zone is known', async () => {
    const tick = { ...series, timeMs: openMs + 90_500, bid: 1, ask: 1 };
    const events: readonly StrategyEvent[] = [
      barOf(2 * hourMs),
      { type: 'tick', tick, serverMs: tick.timeMs + 2 * hourMs },
      { type: 'fill', fill: fillAt(openMs + 2 * minuteMs) },
      reject,
      gone,
    ];
    expect(await linesOf('2024-01-02T22:07:30Z', events)).toEqual([
      '[broker 2024-01-03 00:05:00] bar {"close":1}',
      '[broker 2024-01-03 00:05:30] tick',
      '[broker 2024-01-03 00:06:00] fill',
      '[broker 2024-01-03 00:07:30] reject',
      '[broker 2024-01-03 00:07:30] gone',
    ]);
  });

  it('has beside it the bars that the strategy has handled, each with the one before', async () => {
    const first = barOf(2 * hourMs);
    if (first.type !== 'bar') return;
    const times = { serverMs: first.serverMs + 3 * minuteMs, closedMs: first.closedMs + 3 * minuteMs };
    const next: StrategyEvent = {
      ...first,
      ...times,
      bar: { ...first.bar, timeMs: openMs + 3 * minuteMs, close: 1.1 },
    };
    rmSync(barsPath, { force: true });
    await linesOf('2024-01-02T22:07:30Z', [first, next, next]);
    const bars = readFileSync(barsPath, 'utf8').split('\n').filter(Boolean).map(parseBarLine);
    expect(bars).toMatchObject([
      { stream: 'demo:EURUSD@M1', afterMs: null, openMs: first.serverMs, close: 1 },
      { afterMs: first.serverMs, openMs: times.serverMs, closedMs: times.closedMs, close: 1.1 },
    ]);
  });

  it('has the same time while the zone of the broker is not known', async () => {
    const events: readonly StrategyEvent[] = [barOf(null), { type: 'fill', fill: fillAt(null) }];
    expect(await linesOf(null, events)).toEqual([
      '[broker 2024-01-03 00:05:00] bar {"close":1}',
      '[broker 2024-01-03 00:07:30] fill',
    ]);
  });
});

describe('the log of a backtest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'broker-time-'));
  const module = join(folder, 'mine.ts');
  writeFileSync(
    module,
    `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 1, params: class {}, warmupBars: () => 2, create: () => ({
  onBar(bar, trade) { trade.log('bar', { close: bar.close }); },
}) });`,
  );
  const rows = Array.from({ length: 4 }, (_, minute) => `2024-01-02T22:0${3 + minute}:00,1,1,1,1`);
  const files = ['bid', 'ask'].map((side) => join(folder, `eurusd-m1-${side}.csv`));
  for (const file of files) writeFileSync(file, `timestamp,open,high,low,close\n${rows.join('\n')}\n`);

  it('has the time of each event on the clock of the broker, in the words of the live log', async () => {
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    await printedBy('backtest', module, '--data', files.join(','), '--logs', '--json');
    const text = write.mock.calls.map(([line]) => String(line)).join('');
    write.mockRestore();
    expect(text.split('\n').slice(0, 3)).toEqual([
      '2024-01-02T22:04:00.000Z [broker 2024-01-03 00:04:00] bar {"close":1}',
      '2024-01-02T22:05:00.000Z [broker 2024-01-03 00:05:00] bar {"close":1}',
      '2024-01-02T22:06:00.000Z [broker 2024-01-03 00:06:00] bar {"close":1}',
    ]);
  });

  it('has the time of a bar of the warm-up, not that of the first price to trade at', async () => {
    const { logs } = await backtest(module, { files });
    expect(logs.slice(0, 2).map(({ timeMs }) => timeMs)).toEqual([openMs, openMs + minuteMs]);
  });
});
