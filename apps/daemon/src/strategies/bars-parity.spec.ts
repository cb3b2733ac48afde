import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { pino } from 'pino';
import { writeBars, type WrittenBar } from '../backtest/testing/written-prices';
import { EventQueue } from '../core/event-queue';
import { GatewaySession } from '../gateways/gateway-session';
import { MarketHub } from '../market-data/market-hub';
import { backtest } from '../strategy-testing/backtest';
import { Clockwork } from '../testing/clockwork';
import { ContractGateway } from '../testing/contract-gateway';
import { spec } from '../core/testing/spec';
import { AccountSync } from '../live/account-sync';
import { LiveStrategy } from './live-strategy';
import { bundleStrategy } from './strategy-bundler';
import { Threads } from './threads';
import { workerThreads } from './worker-threads';

const minuteMs = 60_000;
const startMs = Date.UTC(2024, 0, 8);
/** The broker's clock is ahead of UTC by that much, as that of a backtest is in January. */
const aheadMs = 7_200_000;
/** Minutes before the strategy starts, and after it. */
const [past, traded] = [1_300, 12];
/** More than without a declaration, and for the second stream more than its warm-up. */
const depths = { fast: 1_200, slow: 200 };
const frames = { fast: 'EURUSD@M1', slow: 'EURUSD@M5' };
const streams = Object.entries(frames).map(([alias, text]) => {
  const [symbol = '', timeframe = ''] = text.split('@');
  return { alias, broker: 'demo', symbol, timeframe };
});
const view = { positions: [], orders: [], equity: 1_000, inFlight: 0, quotes: {}, symbols: {}, accounts: {} };

/** Writes down all of its bars with each live bar: how many, the first and the last one, and a sum over all members. */
const strategy = `import { defineStrategy } from '@libs/strategy';
const depths = ${JSON.stringify(depths)};
export default defineStrategy({
  version: 1, params: class {}, streams: ['fast', 'slow'],
  warmupBars: { fast: 30, slow: 3 }, historyBars: depths,
  create: () => ({
    onBar(bar, trade) {
      if (trade.warmingUp) return;
      const seen = (['fast', 'slow'] as const).map((stream) => {
        const bars = trade.bars(stream, depths[stream]);
        const sum = bars.reduce((total, { timeMs, open, high, low, close, tickVolume, lateMs }, index) =>
          (total * 31 + timeMs / ${minuteMs} + Math.round((open + 2 * high + 3 * low + 5 * close) * 1e5) + tickVolume + lateMs + index) % 1e9, 7);
        return { length: bars.length, first: bars[0], last: bars.at(-1), sum };
      });
      trade.log(bar.stream + ' ' + bar.timeMs, { seen });
    },
  }),
});
`;

/** A bar that differs from all bars near it. */
const barAt = (minute: number): WrittenBar => {
  const price = (step: number): number => Number((1.1 + ((step * 37) % 101) / 10_000).toFixed(5));
  const [open, close] = [price(minute), price(minute + 1)];
  const high = Number((Math.max(open, close) + 0.0003).toFixed(5));
  return [startMs + minute * minuteMs, open, high, Number((Math.min(open, close) - 0.0002).toFixed(5)), close];
};
const minutes = Array.from({ length: past + traded + 3 }, (_, minute) => barAt(minute));

/** The bar of so many minutes, as a gateway has it. */
const rowOf = (bars: readonly WrittenBar[]) => {
  const [timeMs = 0, open = 0] = bars[0] ?? [];
  return {
    ...{ time: new Date(timeMs).toISOString(), time_server: (timeMs + aheadMs) / 1_000, open },
    ...{ high: Math.max(...bars.map(([, , high]) => high)), low: Math.min(...bars.map(([, , , low]) => low)) },
    ...{ close: bars.at(-1)?.[4] ?? 0, tick_volume: 4 * bars.length },
  };
};

describe('the bars of a strategy that declares how far they go back', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bars-parity-'));
  const module = join(folder, 'mine.ts');
  writeFileSync(module, strategy);

  /** The lines of a live strategy that starts after {@link past} minutes. */
  async function liveLines(): Promise<readonly object[]> {
    const gateway = await ContractGateway.start();
    const work = new Clockwork();
    /** The gateway has the bars up to this minute, which forms. */
    const reach = (minute: number): void => {
      gateway.ownBars.set(
        'EURUSD@M1',
        minutes.slice(0, minute + 1).map((bar) => rowOf([bar])),
      );
      const fives = Array.from({ length: Math.floor(minute / 5) + 1 }, (_, index) => index * 5);
      gateway.ownBars.set(
        'EURUSD@M5',
        fives.map((first) => rowOf(minutes.slice(first, first + 5))),
      );
    };
    reach(past);
    const gatewaySpec = { name: 'demo', url: gateway.url, apiKeyEnv: 'K', maxClockSkewMs: null };
    const session = new GatewaySession({ ...gatewaySpec, expect: { login: null, tradeMode: null } }, 'k');
    const sync = new AccountSync(session, { ownerOf: () => null }, work.clock);
    const hub = new MarketHub(session, sync, work.clock, pino({ level: 'silent' }));
    const threads = new Threads(await workerThreads(), { watchdogMs: 10_000, maxHeapMb: 64 }, new SystemClock());
    const queue = new EventQueue();
    const live = await LiveStrategy.load(
      { ...spec, module, params: {}, streams },
      await bundleStrategy(module),
      { seat: threads.seat('mine', null), idPrefix: '' },
      { clock: work.clock, barWaitMs: 2_000, gateways: new Map([['demo', { hub, session }]]) },
      {
        trading: { view: () => view, kept: null, see: () => undefined },
        queue: { add: (item) => item.type !== 'turn' && queue.add(item) },
      },
    );
    await work.inTime(live.warmUp());
    live.goLive(() => undefined);
    const lines: object[] = [];
    for (let minute = past + 1; minute <= past + traded; minute++) {
      reach(minute);
      await work.until(() => queue.depth > (minute % 5 === 0 ? 1 : 0));
      for (let item = queue.take(); item !== null; item = queue.take()) {
        if (item.type === 'event') lines.push(...(await live.handle(item.event, view)).reaction.logs);
      }
    }
    await live.end();
    hub.stop();
    await work.clock.advance(minuteMs);
    await gateway.stop();
    return lines;
  }

  it('are as many as it declares from its first live bar on, and the same as those of a backtest', async () => {
    const files = writeBars(folder, 'EURUSD', minutes, 0.0001);
    const { logs } = await backtest(module, { files, streams: frames });
    const tested = logs.map(({ message, details }) => ({ message, details }));
    const lines = await liveLines();
    expect(lines.length).toBe(traded + Math.floor((past + traded) / 5) - past / 5);
    expect(lines[0]).toMatchObject({
      message: `fast ${startMs + past * minuteMs}`,
      details: { seen: [{ length: depths.fast }, { length: depths.slow }] },
    });
    const at = tested.findIndex(({ message }) => message === `fast ${startMs + past * minuteMs}`);
    expect(tested.slice(at, at + lines.length)).toEqual(lines);
  });
});
