import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareReports } from './compare-reports';
import { reportOf } from './report';
import { reportPage } from './report-page';
import { reportTable } from './report-table';
import { writeTicks } from './testing/written-prices';
import { runHandlers, said, streamsOf } from './testing/written-strategy';

const folder = mkdtempSync(join(tmpdir(), 'warm-up-'));
const minuteMs = 60_000;
const startMs = Date.UTC(2024, 0, 8);
const files = ['eurusd', 'gbpusd'].map((symbol) =>
  writeTicks(
    join(folder, `${symbol}.csv`),
    Array.from({ length: 400 }, (_, minute) => [startMs + minute * minuteMs, 1.1, 1.1001] as const),
  ),
);

describe('the warm-up of a backtest', () => {
  it('has as many bars of each stream as the strategy requests, in order of time', async () => {
    const handlers = `onBar(bar, trade) {
      if (trade.warmingUp) trade.log(bar.stream + ' ' + (trade.timeMs - ${startMs}) / ${minuteMs});
    }`;
    const streams = streamsOf({ fast: 'EURUSD@M30', slow: 'EURUSD@H1', pound: 'GBPUSD@M30' });
    const options = { files, fromMs: startMs + 300 * minuteMs };
    const result = await runHandlers(handlers, options, {
      streams,
      params: { byStream: '{"fast":4,"slow":2,"pound":3}' },
    });
    expect(said(result)).toEqual([
      ...['fast 210', 'slow 240', 'fast 240', 'pound 240', 'fast 270', 'pound 270'],
      ...['slow 300', 'fast 300', 'pound 300'],
    ]);
    expect(result.warmupBars).toEqual({ slow: 2, fast: 4, pound: 3 });
  });

  it('is stated in the report apart from the bars that only the history gets', async () => {
    const streams = streamsOf({ main: 'EURUSD@M1' });
    const handlers = `onBar(bar, trade) { if (trade.warmingUp) trade.log('past'); }`;
    const params = { bars: 20, history: 300 };
    const result = await runHandlers(handlers, { files }, { streams, params });
    expect(said(result)).toHaveLength(20);
    const report = reportOf(result, { module: 'a.ts', capital: 1_000, streams }, files);
    const text = '99 bars after 300 past bars, 20 of them to warm up';
    expect(reportTable(report)).toContain(text);
    expect(await reportPage(report, result)).toContain(text);
    const { settings } = compareReports(report, {
      ...report,
      range: { ...report.range, pastBars: { main: 20 } },
    });
    expect(settings).toEqual([{ name: 'past bars', first: '{"main":300}', second: '{"main":20}' }]);
  });

  it('aligns the past bars of two symbols by time', async () => {
    const handlers = `onBar(bar, trade) {
      const [euro] = trade.bars('euro', 1);
      if (trade.warmingUp && bar.stream === 'pound' && euro && euro.timeMs === bar.timeMs) n++;
      if (!trade.warmingUp) trade.log(String(n));
    }`;
    const streams = streamsOf({ pound: 'GBPUSD@M1', euro: 'EURUSD@M1' });
    const result = await runHandlers(handlers, { files }, { streams, params: { bars: 120 } });
    expect(said(result)[0]).toBe('120');
  });

  /** Ticks of EURUSD, a minute apart, the first one at this minute of the day. */
  const ticksFrom = (first: number): string =>
    writeTicks(
      join(folder, `eurusd-from-${first}.csv`),
      Array.from({ length: 200 }, (_, minute) => [startMs + (first + minute) * minuteMs, 1.1, 1.1001] as const),
    );
  const barsSeen = `onBar(bar, trade) {
    trade.log(bar.stream + ' ' + (bar.timeMs - ${startMs}) / ${minuteMs} + (trade.warmingUp ? ' past' : ''));
  }`;

  it.each<[string, number, Record<string, string>, number, number, string[]]>([
    ['M1, no warm-up', 0, { main: 'EURUSD@M1' }, 0, 0, ['main 0', 'main 1', 'main 2']],
    ['M5, no warm-up', 0, { main: 'EURUSD@M5' }, 0, 0, ['main 0', 'main 5', 'main 10']],
    ['M1, two bars of warm-up', 0, { main: 'EURUSD@M1' }, 2, 2, ['main 0 past', 'main 1 past', 'main 2']],
    ['M5, two bars of warm-up', 0, { main: 'EURUSD@M5' }, 2, 10, ['main 0 past', 'main 5 past', 'main 10']],
    ['M5 from the third minute on, without the bar of 00:00', 2, { main: 'EURUSD@M5' }, 0, 2, ['main 5', 'main 10']],
    ['the same with one bar of warm-up', 2, { main: 'EURUSD@M5' }, 1, 10, ['main 5 past', 'main 10', 'main 15']],
    ['two timeframes', 0, { fast: 'EURUSD@M5', slow: 'EURUSD@M30' }, 1, 30, ['slow 0 past', 'fast 25 past', 'fast 30']],
  ])('ends as soon as the bars have closed: %s', async (_, first, symbols, bars, startMinute, seen) => {
    const streams = streamsOf(symbols);
    const result = await runHandlers(barsSeen, { files: [ticksFrom(first)] }, { streams, params: { bars } });
    expect((result.startMs - startMs) / minuteMs).toBe(startMinute);
    expect(said(result).slice(0, seen.length)).toEqual(seen);
  });

  it('does not use the first bar if the prices begin inside it', async () => {
    const options = { files: [ticksFrom(2)], fromMs: startMs + 12 * minuteMs };
    const changes = { streams: streamsOf({ main: 'EURUSD@M5' }), params: { bars: 2 } };
    await expect(runHandlers(barsSeen, options, changes)).rejects.toThrow(
      'main needs 2 past bars; backtest has 1 of EURUSD@M5',
    );
  });
});
