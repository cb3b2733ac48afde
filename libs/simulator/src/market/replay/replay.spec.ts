import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { CopyTicks, Timeframe } from '@libs/terminal-client';
import { Simulator } from '../../simulator';
import { RunningSimulator, testOptions } from '../../testing/running-simulator';
import { readRecording } from './recordings';
import { replayFile } from './replay-files';
import { compactEstMs, isoMs } from './timestamps';

const data = join(__dirname, '../../../../../../shared/data');
const gbpusd = ['gbpusd-m1-bid-2012-02.csv', 'gbpusd-m1-ask-2012-02.csv'];
const named = (...names: string[]): string[] => names.map((name) => join(data, name));

const tickFiles = ['eurusd-ticks-2020-01.csv', 'usdjpy-ticks-2013-01.csv'];

/** Recorded prices are no part of the repository: without them a suite is reported as not run, by what it needs. */
const describeWithPrices = named(...gbpusd, ...tickFiles).every((path) => existsSync(path)) ? describe : describe.skip;

const replaying = (files: string[], warmupBars: number): Promise<RunningSimulator> =>
  RunningSimulator.start({ feed: { kind: 'replay', files: files.map(replayFile), warmupBars } });

describe('stamps of recorded prices', () => {
  it.each([
    ['2012-02-01 00:01:00+00:00', Date.UTC(2012, 1, 1, 0, 1)],
    ['2013-01-01 22:00:00.295000+00:00', Date.UTC(2013, 0, 1, 22, 0, 0, 295)],
    ['2013-01-01T22:00:00Z', Date.UTC(2013, 0, 1, 22)],
    ['2013-01-01T22:00:00+02:30', Date.UTC(2013, 0, 1, 19, 30)],
    ['2013-01-01T22:00:00-05:00', Date.UTC(2013, 0, 2, 3)],
  ])('%s', (text, ms) => {
    expect(isoMs(text)).toBe(ms);
  });

  it('without a zone are five hours behind UTC all year', () => {
    expect(compactEstMs('20200701 170000065')).toBe(Date.UTC(2020, 6, 1, 22, 0, 0, 65));
    expect(compactEstMs('2020-01-01')).toBeNaN();
  });
});

describe('a recording', () => {
  it.each([
    ['an unknown shape', 'a,b,c\n1,2,3\n', 'neither bars nor ticks'],
    ['a price that is none', 'timestamp,bid,ask\n2013-01-01 22:00:00,1.1,x\n', 'line 2 has no price'],
    [
      'a time that goes back',
      'timestamp,bid,ask\n2013-01-02 00:00:00,1,1\n2013-01-01 00:00:00,1,1\n',
      'line 3 has a time',
    ],
    ['nothing', 'timestamp,bid,ask\n', 'holds no prices'],
  ])('is refused for %s', (_, text, problem) => {
    expect(() => readRecording('some.csv', text)).toThrow(problem);
  });
});

describeWithPrices('a replay of bid and ask bars (needs the recorded prices in ../shared/data)', () => {
  it('quotes each bar four times, by the shorter way through its extremes', async () => {
    const sim = await replaying(named(...gbpusd), 1);
    const ticks = await sim.client.copyTicksRange('GBPUSD', 0, 1e15, CopyTicks.ALL);
    // 00:00: open 1.57597, high 1.57606, low 1.57576, close 1.57576: up first.
    expect(Array.from(ticks?.bid ?? []).slice(0, 4)).toEqual([1.57597, 1.57606, 1.57576, 1.57576]);
    expect(Array.from(ticks?.ask ?? []).slice(0, 4)).toEqual([1.57608, 1.5761, 1.57585, 1.57585]);
    expect(ticks?.time_msc[0]).toBe(Date.UTC(2012, 1, 1, 2));
  });

  it('has the warm-up bars as history at once, and stands at the time of the next price', async () => {
    const sim = await replaying(named(...gbpusd), 500);
    const bars = await sim.client.copyRatesFromPos('GBPUSD', Timeframe.M1, 0, 1_000);
    expect(bars?.time.length).toBe(501);
    expect(sim.simulator.feedStatus()).toMatchObject({ kind: 'replay', ended: false });
    const tick = await sim.client.symbolInfoTick('GBPUSD');
    expect(tick?.time_msc).toBe(sim.simulator.feedStatus().serverMs);
    // On the server's clock the first bar opened at 02:00.
    expect(bars?.time[0]).toBe(Date.UTC(2012, 1, 1, 2) / 1_000);
  });

  it('gives the recorded bars back: times, prices and counts of quotes', async () => {
    const sim = await replaying(named(...gbpusd), 3_000);
    await sim.clock.advance(50_000);
    const bars = await sim.client.copyRatesFromPos('GBPUSD', Timeframe.M1, 1, 2);
    const text = readFileSync(join(data, 'gbpusd-m1-bid-2012-02.csv'), 'utf8').split('\n');
    const [time = '', ...prices] = (text[3_000] ?? '').split(',');
    expect(bars?.time[1]).toBe(isoMs(time) / 1_000 + 7_200);
    expect([bars?.open[1], bars?.high[1], bars?.low[1], bars?.close[1]]).toEqual(prices.map(Number));
    expect(bars?.tick_volume[1]).toBe(4);
  });

  it('follows the clock at its speed, and stands still at the end of the prices, saying so', async () => {
    const feed = { kind: 'replay', files: named(...gbpusd).map(replayFile), warmupBars: 10 } as const;
    const sim = await RunningSimulator.start({ feed, speed: 60 });
    const start = sim.simulator.feedStatus().positionMs;
    await sim.clock.advance(2_000);
    await sim.client.symbolInfoTick('GBPUSD');
    expect(sim.simulator.feedStatus().positionMs).toBe(start + 120_000);
    sim.clock.advanceSync(31 * 24 * 60_000);
    const last = await sim.client.symbolInfoTick('GBPUSD');
    expect(last).toMatchObject({ bid: 1.59208, ask: 1.59216 });
    expect(sim.simulator.feedStatus()).toMatchObject({ ended: true, endMs: Date.UTC(2012, 2, 1, 0, 0, 59) });
    await sim.clock.advance(3_600_000);
    expect(await sim.client.symbolInfoTick('GBPUSD')).toEqual(last);
  });

  it('without a pace runs through by itself, as fast as it can be read', async () => {
    const feed = { kind: 'replay', files: named(...gbpusd).map(replayFile), warmupBars: 0 } as const;
    const clock = new VirtualClock();
    const simulator = new Simulator(testOptions({ feed, speed: 0, pumpMs: 1_000 }), clock);
    await simulator.start();
    await clock.advance(0);
    expect(simulator.feedStatus()).toMatchObject({ ended: true });
    await simulator.stop();
  });

  it('starts at an instant of choice', async () => {
    const startMs = Date.UTC(2012, 1, 6, 0, 0);
    const feed = { kind: 'replay', files: named(...gbpusd).map(replayFile), warmupBars: 10, startMs } as const;
    const sim = await RunningSimulator.start({ feed });
    expect(sim.simulator.feedStatus().positionMs).toBe(startMs);
    const bars = await sim.client.copyRatesFromPos('GBPUSD', Timeframe.D1, 0, 10);
    expect(Array.from(bars?.time ?? []).map((time) => new Date(time * 1_000).toISOString().slice(5, 10))).toEqual([
      '02-01',
      '02-02',
      '02-03',
      '02-06',
    ]);
  });
});

describeWithPrices('a replay of ticks (needs the recorded prices in ../shared/data)', () => {
  it.each([
    [
      'a compact file on New York time',
      'eurusd-ticks-2020-01.csv',
      'EURUSD',
      9_500,
      Date.UTC(2020, 0, 1, 22, 0, 0, 65),
    ],
    ['a file with a header, in UTC', 'usdjpy-ticks-2013-01.csv', 'USDJPY', 1_000, Date.UTC(2013, 0, 1, 22, 0, 0, 295)],
  ])('quotes every one of %s', async (_, file, symbol, count, firstMs) => {
    const sim = await replaying(named(file), 0);
    sim.simulator.advanceTo(Number.MAX_SAFE_INTEGER);
    const ticks = await sim.client.copyTicksRange(symbol, 0, 1e15, CopyTicks.ALL);
    expect(ticks?.time_msc.length).toBe(count);
    expect(ticks?.time_msc[0]).toBe(firstMs + 7_200_000);
    const bars = await sim.client.copyRatesFromPos(symbol, Timeframe.M1, 0, 100_000);
    const volume = Array.from(bars?.tick_volume ?? []).reduce((sum, ticksInBar) => sum + ticksInBar, 0);
    expect(volume).toBe(count);
  });
});
