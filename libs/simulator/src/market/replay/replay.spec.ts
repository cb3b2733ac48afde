import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import fc from 'fast-check';
import { CopyTicks, Timeframe } from '@libs/terminal-client';
import { Simulator } from '../../simulator';
import { RunningSimulator, testOptions } from '../../testing/running-simulator';
import { effort } from '../../../../../test/setup/effort';
import { readRecording, readRecordingFile, readRecordingPieces } from './recordings';
import { readSymbolRecordings, replayFile } from './replay-files';
import { compactEstMs, isoMs } from './timestamps';

/** One-minute bars of bid and of ask, which are generated before the tests run. */
const gbpusd = ['bid', 'ask'].map((side) =>
  join(__dirname, `../../../../../.build/prices/gbpusd-m1-${side}-2023-02.csv`),
) as [string, string];

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

  it.each([
    ['2013-01-01T22:05', Date.UTC(2013, 0, 1, 22, 5)],
    ['2013-01-01 22:05+02:00', Date.UTC(2013, 0, 1, 20, 5)],
    ['2024-02-29 22:05Z', Date.UTC(2024, 1, 29, 22, 5)],
  ])('may omit the seconds: %s', (text, ms) => {
    expect(isoMs(text)).toBe(ms);
  });

  it.each([
    ...['2013-02-29 00:00:00', '2013-13-01 00:00:00', '2013-01-01 24:00:00', '2013-01-01 00:60'],
    ...['2013-0x-01 00:00:00', '2013-01-01', '2013-01-01 00', '2013-01-01 00:00.5', '2013/01/01 00:00:00', ''],
  ])('are none in %j', (text) => {
    expect(isoMs(text)).toBeNaN();
  });

  it('without a zone are five hours behind UTC all year', () => {
    expect(compactEstMs('20200701 170000065')).toBe(Date.UTC(2020, 6, 1, 22, 0, 0, 65));
    expect(compactEstMs('2020-01-01')).toBeNaN();
  });
});

describe('a recording', () => {
  it.each([
    [
      'an unknown shape',
      'a,b,c\n1,2,3\n',
      'begins with "a,b,c", not with timestamp,open,high,low,close or timestamp,bid,ask',
    ],
    ['a price that is none', 'timestamp,bid,ask\n2013-01-01 22:00:00,1.1,x\n', 'line 2 has no price'],
    [
      'a time that goes back',
      'timestamp,bid,ask\n2013-01-02 00:00:00,1,1\n2013-01-01 00:00:00,1,1\n',
      'line 3 has a time',
    ],
    [
      'a minute that comes twice',
      'timestamp,open,high,low,close\n2013-01-01 22:00:00,1,1,1,1\n2013-01-01 22:00:00,1,1,1,1\n',
      'line 3 has the time of the line before',
    ],
    [
      'a high below its low',
      'timestamp,open,high,low,close\n2013-01-01 22:00:00,1.1,1,1.2,1.1\n',
      'line 2 has a high below its low',
    ],
    [
      'a close above its high',
      'timestamp,open,high,low,close\n2013-01-01 22:00:00,1.1,1.2,1,1.3\n',
      'line 2 has an open or a close outside of its high and low',
    ],
    ['nothing', 'timestamp,bid,ask\n', 'holds no prices'],
    ['a line without text', 'timestamp,bid,ask\n\n2013-01-01 22:00:00,1.1,1.2\n', 'line 2 has no time'],
    ['a price of too few fields', 'timestamp,bid,ask\n2013-01-01 22:00:00Z,1.1\n', 'line 2 has no price'],
    ['a price with a sign', 'timestamp,bid,ask\n2013-01-01 22:00:00Z,-1.1,1.1\n', 'line 2 has no price'],
  ])('is refused for %s', (_, text, problem) => {
    expect(() => readRecording('some.csv', text)).toThrow(problem);
  });
});

describe('the numbers of a recording', () => {
  it('are those of its text, in whichever way they are written', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            price: fc
              .double({ min: 1e-6, max: 1e9, noNaN: true })
              .map((price) => price.toPrecision(1 + Math.floor(price % 17))),
            ends: fc.constantFrom('', 'Z', '+00:00', '+02:30', '.295', '.295000+00:00'),
            after: fc.constantFrom('', '\r', ',7', ' '),
          }),
          { minLength: 1 },
        ),
        (rows) => {
          const stamp = (at: number) =>
            new Date(Date.UTC(2013, 0, 1 + at, 22)).toISOString().slice(0, 19).replace('T', ' ');
          const lines = rows.map(({ price, ends, after }, at) => `${stamp(at)}${ends},${price},${price}${after}`);
          const recording = readRecording('some.csv', `timestamp,bid,ask\n${lines.join('\n')}`);
          expect(Array.from(recording.times)).toEqual(rows.map(({ ends }, at) => isoMs(`${stamp(at)}${ends}`)));
          expect(recording).toMatchObject({ kind: 'ticks' });
          const asks = recording.kind === 'ticks' ? recording.asks : [];
          expect(Array.from(asks)).toEqual(rows.map(({ price }) => Number(price)));
        },
      ),
      { numRuns: effort(200, 20_000) },
    );
  });

  it('are the same in pieces', () => {
    const lines = Array.from({ length: 400_000 }, (_, at) => `${new Date(at * 1_000).toISOString()},1.2,1.3`);
    const file = join(mkdtempSync(join(tmpdir(), 'pieces-')), 'eurusd.csv');
    writeFileSync(file, `timestamp,bid,ask\n${lines.join('\n')}\n`);
    const { times } = readRecordingFile(file);
    expect(times.length).toBe(400_000);
    expect([times[0], times[200_000], times[399_999]]).toEqual([0, 200_000_000, 399_999_000]);
  });

  it.each([1, 7, 32, 100])('are the same in pieces of %s bytes that are read into the same memory', (bytes) => {
    const lines = Array.from({ length: 40 }, (_, at) => `${new Date(at * 1_000).toISOString()},1.2${at},1.3${at}`);
    const text = `timestamp,bid,ask\n${lines.join('\n')}`;
    const all = Buffer.from(text);
    const first = 60;
    function* pieces(): Generator<Buffer> {
      yield Buffer.from(all.subarray(0, first));
      const memory = Buffer.alloc(bytes);
      for (let at = first; at < all.length; at += bytes) yield memory.subarray(0, all.copy(memory, 0, at, at + bytes));
    }
    expect(readRecordingPieces('eurusd.csv', all.length, pieces())).toEqual(readRecording('eurusd.csv', text));
  });
});

describe('several files of a symbol', () => {
  const ticksOf = (...seconds: readonly number[]) => {
    const rows = seconds.map((second) => `2013-01-01 22:00:0${second},1.${second},2.${second}`);
    return readRecording('some.csv', `timestamp,bid,ask\n${rows.join('\n')}`);
  };
  const joined = (...parts: readonly (readonly number[])[]) => {
    const files = parts.map((_, index) => ({ symbol: 'EURUSD', path: String(index) }));
    return readSymbolRecordings(files, ({ path }) => ticksOf(...(parts[Number(path)] ?? [])));
  };

  it('are one recording in the order of time', () => {
    expect(joined([4, 5], [1], [2, 3])).toEqual([{ symbol: 'EURUSD', kind: 'ticks', ticks: ticksOf(1, 2, 3, 4, 5) }]);
    expect(joined([1, 2])).toEqual([{ symbol: 'EURUSD', kind: 'ticks', ticks: ticksOf(1, 2) }]);
  });

  it('are refused when they overlap', () => {
    expect(() => joined([4, 5], [1, 4])).toThrow('price files overlap in time');
  });
});

describe('a replay of bid and ask bars', () => {
  it('quotes each bar four times, by the shorter way through its extremes', async () => {
    const sim = await replaying(gbpusd, 3);
    const ticks = await sim.client.copyTicksRange('GBPUSD', 0, 1e15, CopyTicks.ALL);
    const [bids, asks] = [Array.from(ticks?.bid ?? []), Array.from(ticks?.ask ?? [])];
    // 00:00: open 1.30356, high 1.30362, low 1.30353, close 1.30360: down first.
    expect(bids.slice(0, 4)).toEqual([1.30356, 1.30353, 1.30362, 1.3036]);
    expect(asks.slice(0, 4)).toEqual([1.30372, 1.30369, 1.30376, 1.30372]);
    // 00:02: open 1.30363, high 1.30368, low 1.30352, close 1.30358: up first.
    expect(bids.slice(8, 12)).toEqual([1.30363, 1.30368, 1.30352, 1.30358]);
    expect(asks.slice(8, 12)).toEqual([1.30379, 1.3039, 1.3037, 1.3037]);
    expect(ticks?.time_msc[0]).toBe(Date.UTC(2023, 1, 1, 2));
  });

  it('has the warm-up bars as history at once, and stands at the time of the next price', async () => {
    const sim = await replaying(gbpusd, 500);
    const bars = await sim.client.copyRatesFromPos('GBPUSD', Timeframe.M1, 0, 1_000);
    expect(bars?.time.length).toBe(501);
    expect(sim.simulator.feedStatus()).toMatchObject({ kind: 'replay', ended: false });
    const tick = await sim.client.symbolInfoTick('GBPUSD');
    expect(tick?.time_msc).toBe(sim.simulator.feedStatus().serverMs);
    // On the server's clock the first bar opened at 02:00.
    expect(bars?.time[0]).toBe(Date.UTC(2023, 1, 1, 2) / 1_000);
  });

  it('gives the recorded bars back: times, prices and counts of quotes', async () => {
    const sim = await replaying(gbpusd, 3_000);
    await sim.clock.advance(50_000);
    const bars = await sim.client.copyRatesFromPos('GBPUSD', Timeframe.M1, 1, 2);
    const text = readFileSync(gbpusd[0], 'utf8').split('\n');
    const [time = '', ...prices] = (text[3_000] ?? '').split(',');
    expect(bars?.time[1]).toBe(isoMs(time) / 1_000 + 7_200);
    expect([bars?.open[1], bars?.high[1], bars?.low[1], bars?.close[1]]).toEqual(prices.map(Number));
    expect(bars?.tick_volume[1]).toBe(4);
  });

  it('follows the clock at its speed, and stops at the end of the prices, with a log line', async () => {
    const feed = { kind: 'replay', files: gbpusd.map(replayFile), warmupBars: 10 } as const;
    const sim = await RunningSimulator.start({ feed, speed: 60 });
    const start = sim.simulator.feedStatus().positionMs;
    await sim.clock.advance(2_000);
    await sim.client.symbolInfoTick('GBPUSD');
    expect(sim.simulator.feedStatus().positionMs).toBe(start + 120_000);
    sim.clock.advanceSync(31 * 24 * 60_000);
    const last = await sim.client.symbolInfoTick('GBPUSD');
    expect(last).toMatchObject({ bid: 1.33433, ask: 1.33451 });
    expect(sim.simulator.feedStatus()).toMatchObject({ ended: true, endMs: Date.UTC(2023, 1, 28, 23, 59, 59) });
    await sim.clock.advance(3_600_000);
    expect(await sim.client.symbolInfoTick('GBPUSD')).toEqual(last);
  });

  it('jumps forward on command, and then keeps its speed', async () => {
    const feed = { kind: 'replay', files: gbpusd.map(replayFile), warmupBars: 10 } as const;
    const sim = await RunningSimulator.start({ feed, speed: 60 });
    const start = sim.simulator.feedStatus().positionMs;
    sim.simulator.advance(90_000);
    expect(sim.simulator.feedStatus().positionMs).toBe(start + 90_000);
    await sim.clock.advance(1_000);
    await sim.client.symbolInfoTick('GBPUSD');
    expect(sim.simulator.feedStatus().positionMs).toBe(start + 150_000);
  });

  it('cannot be moved where it shows the wall clock', async () => {
    const sim = await RunningSimulator.start({ speed: 1 });
    expect(() => sim.simulator.advance(1)).toThrow(
      'this market shows the wall clock; set SIM_SPEED or SIM_FEED=replay',
    );
  });

  it('without a pace runs to its end, as fast as it can be read', async () => {
    const feed = { kind: 'replay', files: gbpusd.map(replayFile), warmupBars: 0 } as const;
    const clock = new VirtualClock();
    const simulator = new Simulator(testOptions({ feed, speed: 0, pumpMs: 1_000 }), clock);
    await simulator.start();
    await clock.advance(0);
    expect(simulator.feedStatus()).toMatchObject({ ended: true });
    await simulator.stop();
  });

  it('starts at an instant of choice', async () => {
    const startMs = Date.UTC(2023, 1, 6, 0, 0);
    const feed = { kind: 'replay', files: gbpusd.map(replayFile), warmupBars: 10, startMs } as const;
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

/** Rows of ticks whose prices go up and down, `stepMs` apart. */
const tickRows = (count: number, stepMs: number, firstMs: number, rowOf: (stamp: string, mid: number) => string) =>
  Array.from({ length: count }, (_, at) =>
    rowOf(new Date(firstMs + at * stepMs).toISOString(), 1 + 0.01 * Math.sin(at / 50)),
  ).join('\n');

/** As New York without daylight saving writes it: `20200101 170000065`. */
const compact = (stamp: string): string =>
  new Date(Date.parse(stamp) - 18_000_000)
    .toISOString()
    .replace('T', ' ')
    .replace(/[-:.Z]/g, '');

describe('a replay of ticks', () => {
  const eurFirstMs = Date.UTC(2020, 0, 1, 22, 0, 0, 65);
  const jpyFirstMs = Date.UTC(2013, 0, 1, 22, 0, 0, 295);

  it.each([
    [
      'a compact file on New York time',
      'eurusd-ticks.csv',
      'EURUSD',
      9_500,
      eurFirstMs,
      tickRows(
        9_500,
        1_337,
        eurFirstMs,
        (stamp, mid) => `${compact(stamp)},${mid.toFixed(6)},${(mid + 0.0001).toFixed(6)},0`,
      ),
    ],
    [
      'a file with a header, in UTC',
      'usdjpy-ticks.csv',
      'USDJPY',
      1_000,
      jpyFirstMs,
      `timestamp,bid,ask\n${tickRows(1_000, 41_003, jpyFirstMs, (stamp, mid) => `${stamp.replace('T', ' ').replace('Z', '000+00:00')},${(86 * mid).toFixed(3)},${(86 * mid + 0.02).toFixed(3)}`)}`,
    ],
  ])('quotes every one of %s', async (_, name, symbol, count, firstMs, text) => {
    const file = join(mkdtempSync(join(tmpdir(), 'ticks-')), name);
    writeFileSync(file, `${text}\n`);
    const sim = await replaying([file], 0);
    sim.simulator.advanceTo(Number.MAX_SAFE_INTEGER);
    const ticks = await sim.client.copyTicksRange(symbol, 0, 1e15, CopyTicks.ALL);
    expect(ticks?.time_msc.length).toBe(count);
    expect(ticks?.time_msc[0]).toBe(firstMs + 7_200_000);
    const bars = await sim.client.copyRatesFromPos(symbol, Timeframe.M1, 0, 100_000);
    const volume = Array.from(bars?.tick_volume ?? []).reduce((sum, ticksInBar) => sum + ticksInBar, 0);
    expect(volume).toBe(count);
  });
});
