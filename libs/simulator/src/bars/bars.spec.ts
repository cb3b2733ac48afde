import fc from 'fast-check';
import { type BarColumns, CopyTicks, Timeframe, timeframeNames, timeframeSeconds } from '@libs/terminal-client';
import { RunningSimulator } from '../testing/running-simulator';
import { bucketStart } from './buckets';
import { effort } from '../../../../test/setup/effort';

const rowsOf = (bars: BarColumns | null): number[][] =>
  Array.from(bars?.time ?? [], (time, at) => [
    time,
    bars?.open[at] ?? 0,
    bars?.high[at] ?? 0,
    bars?.low[at] ?? 0,
    bars?.close[at] ?? 0,
    bars?.tick_volume[at] ?? 0,
    bars?.spread[at] ?? 0,
  ]);

/** Bars put together from one-minute ones the plain way. */
const folded = (timeframe: Timeframe, minutes: number[][]): number[][] => {
  const buckets = new Map<number, number[]>();
  for (const [time = 0, open = 0, high = 0, low = 0, close = 0, volume = 0, spread = 0] of minutes) {
    const start = bucketStart(timeframe, time);
    const [, first = open, top = high, bottom = low, , total = 0, narrow = spread] = buckets.get(start) ?? [];
    buckets.set(start, [
      start,
      first,
      Math.max(top, high),
      Math.min(bottom, low),
      close,
      total + volume,
      Math.min(narrow, spread),
    ]);
  }
  return [...buckets.values()];
};

const MAY = Date.UTC(2024, 4, 14, 10, 0, 31);

describe('bars', () => {
  it('open where the timeframe says: weeks on Sunday, months on their first', () => {
    const thursday = Date.UTC(2024, 4, 16, 13, 47) / 1_000;
    expect(bucketStart(Timeframe.M20, thursday)).toBe(Date.UTC(2024, 4, 16, 13, 40) / 1_000);
    expect(bucketStart(Timeframe.H4, thursday)).toBe(Date.UTC(2024, 4, 16, 12) / 1_000);
    expect(bucketStart(Timeframe.D1, thursday)).toBe(Date.UTC(2024, 4, 16) / 1_000);
    expect(bucketStart(Timeframe.W1, thursday)).toBe(Date.UTC(2024, 4, 12) / 1_000);
    expect(bucketStart(Timeframe.MN1, thursday)).toBe(Date.UTC(2024, 4, 1) / 1_000);
  });

  it.each(timeframeNames)('of %s are the one-minute bars put together, on the server clock', async (name) => {
    const { client } = await RunningSimulator.start({ hours: 'market' }, MAY);
    const timeframe = Timeframe[name];
    const length = timeframeSeconds(timeframe) ?? 31 * 86_400;
    const now = MAY / 1_000 + 3 * 3_600;
    const from = bucketStart(timeframe, now - Math.max(length, 3_600) * 2);
    const minutes = rowsOf(await client.copyRatesRange('EURUSD', Timeframe.M1, from, now));
    const expected = folded(timeframe, minutes);
    expect(rowsOf(await client.copyRatesRange('EURUSD', timeframe, from, now))).toEqual(expected);
    expect(rowsOf(await client.copyRatesFromPos('EURUSD', timeframe, 0, expected.length))).toEqual(expected);
    const [first] = expected;
    expect(rowsOf(await client.copyRatesFromPos('EURUSD', timeframe, expected.length - 1, 1))).toEqual([first]);
  });

  it('agree with the ticks of their minutes', async () => {
    const { client } = await RunningSimulator.start({}, MAY);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 100_000 }), async (minutesAgo) => {
        const open = Math.floor(MAY / 60_000) * 60 + 3 * 3_600 - minutesAgo * 60;
        const [bar] = rowsOf(await client.copyRatesRange('USDJPY', Timeframe.M1, open, open));
        const last = open * 1_000 + 59_999;
        const ticks = await client.copyTicksRange('USDJPY', open * 1_000, last, CopyTicks.ALL);
        const bids = Array.from(ticks?.bid ?? []);
        const spreads = bids.map((bid, at) => Math.round(((ticks?.ask[at] ?? 0) - bid) * 1_000));
        const prices = [bids[0], Math.max(...bids), Math.min(...bids), bids.at(-1)];
        const whole = [open, ...prices, bids.length, Math.min(...spreads)];
        expect(bar).toEqual(bids.length > 0 ? whole : undefined);
      }),
      // The server's clock leaves that minute out.
      { numRuns: effort(40, 400), examples: [[63_901]] },
    );
  });

  it('and ticks of an hour that the server’s clock leaves out are none, at either end of a window', async () => {
    const { client } = await RunningSimulator.start({}, MAY);
    const [two, three, four, five] = [2, 3, 4, 5].map((hour) => Date.UTC(2024, 2, 31, hour) / 1_000);
    const ticks = async (from = 0, to = 0) => {
      const { time } = (await client.copyTicksRange('USDJPY', from * 1_000, to * 1_000 - 1, CopyTicks.ALL)) ?? {};
      return Array.from(time ?? []);
    };
    const [before, after] = [await ticks(two, three), await ticks(four, five)];
    expect([before.length, after.length].every((count) => count > 100)).toBe(true);
    expect(await ticks(three, four)).toEqual([]);
    expect(rowsOf(await client.copyRatesRange('USDJPY', Timeframe.M1, three ?? 0, (four ?? 0) - 1))).toEqual([]);
    const half = 1_800;
    expect(await ticks(two, (three ?? 0) + half)).toEqual(before);
    expect(await ticks((three ?? 0) + half, five)).toEqual(after);
    expect(await ticks(two, five)).toEqual([...before, ...after]);
  });

  describe('in an hour that the server’s clock repeats', () => {
    // In Athens the clocks went from 4:00 to 3:00 on Sunday, 27 October 2024, at 1:00 UTC.
    const setBack = Date.UTC(2024, 9, 27, 1);
    const [three, four] = [3, 4].map((hour) => Date.UTC(2024, 9, 27, hour) / 1_000) as [number, number];
    /** A market that has not closed, so many minutes after the clock was set back. */
    const after = async (minutes: number) => {
      const start = setBack + minutes * 60_000 + 31_000;
      const { client } = await RunningSimulator.start({ hours: 'always' }, start);
      const last = async (timeframe: Timeframe, count: number, position = 0) =>
        rowsOf(await client.copyRatesFromPos('EURUSD', timeframe, position, count));
      return { client, last };
    };

    it.each([
      ['M1', 5],
      ['M1', 12],
      ['M1', 59],
      ['M1', 63],
      ['M5', 30],
      ['M20', 45],
      ['H1', 30],
      ['H1', 90],
      ['H4', 30],
      ['D1', 30],
    ] as const)(
      'are the same however few of %s are asked for %d minutes after it began again',
      async (name, minutes) => {
        const { last } = await after(minutes);
        const timeframe = Timeframe[name];
        const all = await last(timeframe, 90);
        for (let count = 1; count <= 66; count++) expect(await last(timeframe, count)).toEqual(all.slice(-count));
        for (let back = 1; back <= 66; back++)
          expect(await last(timeframe, 1, back)).toEqual(all.slice(-back - 1, -back));
      },
    );

    it('are the same wherever a window begins', async () => {
      const { client } = await after(90);
      const from = async (seconds: number) =>
        rowsOf(await client.copyRatesRange('EURUSD', Timeframe.M1, seconds, four + 600));
      const all = await from(three - 600);
      expect(all.map(([time]) => time)).toEqual(all.map((_row, at) => three - 600 + at * 60));
      for (let open = three - 120; open <= four + 120; open += 60) {
        expect(await from(open)).toEqual(all.filter(([time = 0]) => time >= open));
      }
    });

    it('are new ones where the first pass had no quote', async () => {
      const quote = (minutes: number, bid: number) => [minutes * 60_000, bid, bid + 0.0001] as const;
      // The first pass ends with 3:20; the second one has 3:10, 3:21 and 3:40.
      const quotes = [
        [-41, 1.1],
        [-40, 1.2],
        [10, 1.3],
        [21, 1.4],
        [40, 1.5],
        [61, 1.6],
      ] as const;
      const feed = { kind: 'scripted', quotes: { EURUSD: quotes.map(([at, bid]) => quote(at + 41, bid)) } } as const;
      const { client, clock } = await RunningSimulator.start({ feed, hours: 'always' }, setBack - 41 * 60_000);
      await clock.advance(103 * 60_000);
      const last = async (count: number) =>
        rowsOf(await client.copyRatesFromPos('EURUSD', Timeframe.M1, 0, count)).map(([time = 0, , , , close]) => [
          (time - three) / 60,
          close,
        ]);
      const all = [
        [19, 1.1],
        [20, 1.3],
        [21, 1.4],
        [40, 1.5],
        [61, 1.6],
      ];
      for (let count = 1; count <= 5; count++) expect(await last(count)).toEqual(all.slice(-count));
      expect(await last(50)).toEqual(all);
    });
  });

  it('of a window are those that open inside it, ends included', async () => {
    const { client } = await RunningSimulator.start({}, MAY);
    const noon = Date.UTC(2024, 4, 13, 12) / 1_000;
    const bars = await client.copyRatesRange('EURUSD', Timeframe.H1, noon, noon + 3 * 3_600);
    expect(Array.from(bars?.time ?? [])).toEqual([0, 1, 2, 3].map((hour) => noon + hour * 3_600));
    const between = await client.copyRatesRange('EURUSD', Timeframe.H1, noon + 1, noon + 3_599);
    expect(between?.time.length).toBe(0);
  });

  it('form as time goes by', async () => {
    const { client, clock } = await RunningSimulator.start({}, MAY);
    const forming = rowsOf(await client.copyRatesFromPos('EURUSD', Timeframe.M5, 0, 1));
    await clock.advance(20_000);
    const later = rowsOf(await client.copyRatesFromPos('EURUSD', Timeframe.M5, 0, 1));
    expect(later[0]?.[0]).toBe(forming[0]?.[0]);
    expect(later[0]?.[5]).toBeGreaterThan(forming[0]?.[5] ?? 0);
    const tick = await client.symbolInfoTick('EURUSD');
    expect(later[0]?.[4]).toBe(tick?.bid);
    await clock.advance(300_000);
    expect(rowsOf(await client.copyRatesFromPos('EURUSD', Timeframe.M5, 0, 2))[0]?.[0]).toBe(forming[0]?.[0]);
  });

  it('of a zone at three quarters of an hour are those of its own hours', async () => {
    const { client } = await RunningSimulator.start({ serverTimeZone: 'Asia/Kathmandu' }, MAY);
    const bars = await client.copyRatesFromPos('EURUSD', Timeframe.H1, 0, 30);
    const times = Array.from(bars?.time ?? []);
    expect(times).toHaveLength(30);
    expect(times.every((time) => time % 3_600 === 0)).toBe(true);
    const [minute] = rowsOf(await client.copyRatesRange('EURUSD', Timeframe.M1, times[3] ?? 0, times[3] ?? 0));
    expect(bars?.open[3]).toBe(minute?.[1]);
  });

  it('begin a new day with the quote of midnight itself', async () => {
    const midnight = Date.UTC(2024, 4, 15);
    const quotes = { EURUSD: [[0, 1.1, 1.1001] as const, [60_000, 1.2, 1.2001] as const] };
    const changes = { feed: { kind: 'scripted', quotes }, serverTimeZone: 'UTC' } as const;
    const { client, clock } = await RunningSimulator.start(changes, midnight - 60_000);
    clock.advanceSync(60_000);
    const bars = await client.copyRatesFromPos('EURUSD', Timeframe.M1, 0, 5);
    expect(rowsOf(bars).map(([time, open]) => [time, open])).toEqual([
      [midnight / 1_000 - 60, 1.1],
      [midnight / 1_000, 1.2],
    ]);
  });

  it('are empty for an unknown symbol', async () => {
    const { client } = await RunningSimulator.start({}, MAY);
    expect(await client.copyRatesFromPos('NOPE', Timeframe.M1, 0, 1)).toBeNull();
    expect(await client.lastError()).toMatchObject({ code: -4 });
  });
});
