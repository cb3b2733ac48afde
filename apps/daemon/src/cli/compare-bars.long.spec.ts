import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { pino } from 'pino';
import { EventQueue } from '../core/event-queue';
import { LatencyBook } from '../latency/latency-book';
import { LogBook } from '../logs/log-book';
import { MarketHub } from '../market-data/market-hub';
import { EventHandler } from '../strategies/event-handler';
import { LiveStrategy } from '../strategies/live-strategy';
import { MarketClock } from '../live/strategy-market';
import { bundleStrategy } from '../strategies/strategy-bundler';
import { Threads } from '../strategies/threads';
import { workerThreads } from '../strategies/worker-threads';
import { Clockwork } from '../testing/clockwork';
import { barRow, beginMs, bid, ComparedGateway, serverMs, spread } from '../testing/compared-gateway';
import { DeskRig } from '../testing/desk-rig';
import { spec } from '../core/testing/spec';

const logger = pino({ level: 'silent' });
/** Buys after a bar that closes far above all others, and closes ten bars later. */
const spikes = `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({
  version: 1,
  params: class {},
  warmupBars: () => 5,
  create: () => {
    let bars = 0;
    return { onBar: (bar, trade) => {
      if (bar.close > 1.15 && !trade.warmingUp) { bars = 0; trade.log('buys'); trade.buy('main', { volume: 0.1 }); }
      const [open] = trade.positions();
      if (open && ++bars > 10) trade.close(open);
    } };
  },
});
`;
const eur = 'demo:EURUSD@M1';
const streams = [{ alias: 'main', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' }];
const document = {
  strategies: [{ name: 'spikes', module: './spikes.ts', magic: 41, capital: 10_000, streams: { main: eur } }],
};
/** The minute of a bar that was delivered with a wrong price. */
const wrong = 130;

describe('the bars of daemon compare NAME', () => {
  let days: ComparedGateway;
  beforeAll(async () => {
    days = await ComparedGateway.start(document, { 'spikes.ts': spikes });
  });
  afterAll(() => days.stop());
  beforeEach(() => days.clear());

  const logsOf = (stateDir: string) => new LogBook(join(days.stateDir(stateDir), 'logs'), new SystemClock(), logger);

  /** Runs the strategy live: the gateway has one bar after the other, and it handles those of these minutes. @returns its log */
  async function live(stateDir: string, first: number, last: number): Promise<readonly string[]> {
    const { gateway, folder } = days;
    const work = new Clockwork();
    const reach = (minute: number): void => {
      const minutes = Array.from({ length: 50 }, (_, index) => minute - 49 + index);
      gateway.ownBars.set(
        'EURUSD@M1',
        minutes.map((one) => (one === wrong ? barRow(one, 1.2) : barRow(one))),
      );
    };
    reach(first);
    const rig = await DeskRig.start(gateway, { changes: { name: 'spikes', magic: 41, streams } });
    const { session, sync, trading } = rig;
    const hub = new MarketHub(session, sync, work.clock, logger);
    const threads = new Threads(await workerThreads(), { watchdogMs: 10_000, maxHeapMb: 64 }, new SystemClock());
    const module = join(folder, 'spikes.ts');
    const queue = new EventQueue();
    const strategy = await LiveStrategy.load(
      { ...spec, name: 'spikes', module, streams },
      await bundleStrategy(module),
      { seat: threads.seat('spikes', null), idPrefix: '' },
      { clock: work.clock, barWaitMs: 2_000, gateways: new Map([['demo', { hub, session }]]) },
      { trading, queue: { add: (item) => item.type !== 'turn' && queue.add(item) } },
    );
    const logs = logsOf(stateDir);
    const clock = new MarketClock(strategy.market);
    const handler = new EventHandler(clock, logs.of('spikes'), new LatencyBook(false), logs.barsOf('spikes'));
    await work.inTime(strategy.warmUp());
    strategy.goLive(() => undefined);
    for (let minute = first + 1; minute <= last + 1; minute++) {
      reach(minute);
      await work.until(() => queue.depth > 0);
      for (let item = queue.take(); item !== null; item = queue.take()) {
        if (item.type === 'event') await handler.handle(strategy, trading, item);
      }
    }
    await logs.flushed();
    await strategy.end();
    hub.stop();
    await work.clock.advance(60_000);
    await rig.stop();
    gateway.ownBars.clear();
    return (await logs.read('spikes', { lines: 100, sinceMicros: null, level: 'info' })).lines;
  }

  it('are those that the strategy received, also one that the gateway has corrected since', async () => {
    const lines = await live('corrected', 119, 144);
    expect(lines.filter((line) => line.endsWith('[broker 2024-01-02 04:11:00] buys'))).toHaveLength(1);
    // Its trade, as the broker books it.
    days.clear();
    days.traded(131, 142, [bid(131) + spread, bid(142)], 800);

    const body = await days.comparedBody('spikes', 'corrected');
    expect(body).toMatchObject({ live: { trades: 1 }, backtest: { trades: 1 }, onlyLive: [], onlyBacktest: [] });
    expect(body.bars).toEqual([
      {
        name: 'spikes',
        streams: [
          {
            stream: eur,
            received: [{ from: '2024-01-02T02:00:00.000Z', to: '2024-01-02T02:24:00.000Z', bars: 25 }],
            gateway: [{ from: '2024-01-02T02:25:00.000Z', to: '2024-01-02T02:58:00.000Z', bars: 34 }],
            changed: [{ from: '2024-01-02T02:10:00.000Z', to: '2024-01-02T02:10:00.000Z', bars: 1 }],
            ...{ removed: [], notReceived: [], late: 0 },
          },
        ],
        damaged: 0,
      },
    ]);
    expect(body.notes.at(-1)).toBe(
      'The backtest of spikes got 25 of 59 bars of demo:EURUSD@M1 as spikes received them (2024-01-02 02:00 to 2024-01-02 02:24), ' +
        'and 34 as the gateway has them, because they are not on record (2024-01-02 02:25 to 2024-01-02 02:58). ' +
        'Differences: other prices at the gateway now: 1 (2024-01-02 02:10).',
    );
  });

  it('are those of the gateway where the record is damaged', async () => {
    const logs = logsOf('damaged');
    received(logs, 100, 179);
    await logs.flushed();
    const file = join(days.stateDir('damaged'), 'logs', 'spikes.bars');
    const lines = readFileSync(file, 'utf8').split('\n');
    const hit = lines.findIndex((line) => line.includes(String(serverMs(wrong))) && line.includes('1.2'));
    writeFileSync(file, lines.map((line, index) => (index === hit ? line.replace('1.2', '1.3') : line)).join('\n'));
    days.traded(131, 142, [bid(131) + spread, bid(142)], 800);

    const body = await days.comparedBody('spikes', 'damaged');
    expect(body).toMatchObject({ live: { trades: 1 }, backtest: { trades: 0 } });
    expect(body.causes.map(({ cause }) => cause)).toEqual(['only live: not explained']);
    expect(body.bars).toMatchObject([
      {
        damaged: 1,
        streams: [{ gateway: [{ from: '2024-01-02T02:10:00.000Z', bars: 1 }], received: [{ bars: 10 }, { bars: 48 }] }],
      },
    ]);
    expect(body.notes.at(-1)).toBe(
      "The record of the bars that spikes received has damaged lines: 1. Their bars are the gateway's.",
    );
  });

  it('lack those that the strategy missed, and have those that the gateway no longer has', async () => {
    const logs = logsOf('missed');
    // It never received the bar after the wrong one.
    received(logs, 100, 130, 60_000);
    received(logs, 132, 179, 0, 130);
    await logs.flushed();
    const index = days.gateway.bars.findIndex(({ time_server: seconds }) => seconds === serverMs(130) / 1_000);
    const [removed] = days.gateway.bars.splice(index, 1);
    days.traded(131, 142, [bid(131) + spread, bid(142)], 800);
    const body = await days.comparedBody('spikes', 'missed');
    days.gateway.bars.splice(index, 0, removed ?? {});
    expect(body).toMatchObject({ live: { trades: 1 }, backtest: { trades: 1 } });
    expect(body.notes.at(-1)).toBe(
      'The backtest of spikes got all 58 bars of demo:EURUSD@M1 as spikes received them. Differences: ' +
        'no longer at the gateway: 1 (2024-01-02 02:10); at the gateway, but not received: 1 (2024-01-02 02:11); late: 11.',
    );
  });

  it('are those of the gateway where none is on record', async () => {
    expect((await days.comparedBody('spikes', 'none')).notes.at(-1)).toBe(
      "The backtest of spikes got the gateway's 59 bars of demo:EURUSD@M1: none is on record.",
    );
  });

  /** Records bars as a live strategy does. @param before the minute of the bar before the first */
  function received(logs: LogBook, first: number, last: number, lateMs = 0, before = first - 1): void {
    for (let minute = first; minute <= last; minute++) {
      const { open, high, low, close } = minute === wrong ? barRow(minute, 1.2) : barRow(minute);
      const prices = { open: Number(open), high: Number(high), low: Number(low), close: Number(close), tickVolume: 4 };
      const series = { stream: 'main', symbol: 'EURUSD', timeframe: 'M1', timeMs: beginMs + minute * 60_000 };
      const times = { serverMs: serverMs(minute), closedMs: serverMs(minute + 1), onArrival: null };
      const bar = { ...series, ...prices, lateMs };
      const after = minute === first ? before : minute - 1;
      logs.barsOf('spikes').note(eur, serverMs(after), { type: 'bar', warmingUp: false, ...times, bar });
    }
  }
});
