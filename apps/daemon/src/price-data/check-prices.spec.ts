import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportOf } from '../backtest/report';
import { reportTable } from '../backtest/report-table';
import { runHandlers, streamsOf } from '../backtest/testing/written-strategy';
import { checkPrices } from './check-prices';

const folder = mkdtempSync(join(tmpdir(), 'check-'));
const written = (name: string, lines: readonly string[]): string => {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
};
const head = 'timestamp,open,high,low,close';
const minutes = Array.from({ length: 30 }, (_, minute) => `2024-01-09 12:${String(minute).padStart(2, '0')}:00+00:00`);
const bid = written('eurusd-bid.csv', [head, ...minutes.map((time) => `${time},1.1,1.2,1.0,1.1`)]);
const ask = written('eurusd-ask.csv', [
  head,
  ...minutes.slice(0, 4).map((time) => `${time},1.15,1.25,1.05,1.15`),
  `${minutes[3]},1.15,1.25,1.05,1.15`,
  `${minutes[4]},1.15,1.05,1.25,1.15`,
  `${minutes[1]},1.15,1.25,1.05,1.15`,
  '2024-01-09 12:05:30+00:00,1.15,1.25,1.05,1.15',
  `${minutes[6]},1.15,1.25,x,1.15`,
  `${minutes[7]},1.05,1.25,1.05,1.15`,
  ...minutes.slice(10).map((time) => `${time},1.15,1.25,1.05,1.15`),
]);
const ticks = written('gbpusd.csv', [
  'timestamp,bid,ask',
  '2024-01-09 12:00:00.100+00:00,1.5,1.6',
  '2024-01-09 12:00:00.100+00:00,1.5,1.4',
]);

describe('the check of price files', () => {
  it('counts crossed, inverted, duplicate, missing, mistimed and malformed rows of each file', () => {
    const [bids, asks, quotes] = checkPrices([bid, ask, ticks]);
    expect(bids).toMatchObject({
      ...{ file: 'eurusd-bid.csv', symbol: 'EURUSD', kind: 'bars', rows: 30, isSound: true, examples: [] },
      ...{ from: '2024-01-09T12:00:00.000Z', to: '2024-01-09T12:29:00.000Z' },
      faults: { crossed: 0, inverted: 0, duplicate: 0, missing: 0, mistimed: 0, malformed: 0 },
    });
    expect(asks).toMatchObject({
      ...{ rows: 30, isSound: false },
      faults: { crossed: 1, inverted: 1, duplicate: 1, missing: 5, mistimed: 2, malformed: 1 },
    });
    expect(asks?.examples).toContain(`line 6 is duplicate: ${minutes[3]},1.15,1.25,1.05,1.15`);
    expect(asks?.examples.at(-1)).toBe('the ask is below the bid at 2024-01-09T12:07:00.000Z');
    expect(quotes).toMatchObject({ kind: 'ticks', isSound: false, faults: { crossed: 1, missing: null } });
  });

  it('passes missing minutes, which quiet markets have', () => {
    const sparse = written('usdjpy-bid.csv', [head, `${minutes[0]},1,2,1,2`, `${minutes[9]},1,2,1,2`]);
    expect(checkPrices([sparse])).toMatchObject([{ isSound: true, faults: { missing: 8 } }]);
  });

  it('takes bars as long as they are', () => {
    const hours = (count: number, row: (at: number) => string): string[] =>
      Array.from({ length: count }, (_, at) => [new Date(Date.UTC(2024, 0, 9, at)).toISOString(), row(at)].join());
    const rows = hours(40, (at) => (at === 20 ? '1.1,1.25,1.05,1.1' : '1.1,1.15,1.05,1.1')).filter(
      (_, at) => at !== 30,
    );
    const [found] = checkPrices([written('gbpusd-h1-bid.csv', [head, ...rows])]);
    expect(found).toMatchObject({ timeframe: 'H1', isSound: true, faults: { missing: 1 } });
    const at = (hour: number): number => Date.UTC(2024, 0, 9, hour);
    // A bar of an hour may go as far as the root of 60 times one of a minute.
    expect(found?.doubts).toMatchObject({
      spikes: { count: 1, firstMs: at(20) },
      flat: { count: 0 },
      gaps: { count: 0 },
    });
    const asks = rows.map((row) => row.replaceAll(/1\.(\d+)/g, (price) => String(Number(price) + 0.0002)));
    const four = rows.filter((_, hour) => hour % 4 === 0).map((row) => row.replaceAll('1.15', '1.3'));
    const both = [written('gbpusd-h1-ask.csv', [head, ...asks]), written('gbpusd-h4-bid.csv', [head, ...four])];
    // Bids of another length do not belong to these asks.
    expect(checkPrices([...both, join(folder, 'gbpusd-h1-bid.csv')])[0]).toMatchObject({ faults: { crossed: 0 } });
    const days = ['05', '06', '07', '08'].map((day) => `2024-01-${day} 00:00,1.1,1.1,1.1,1.1`);
    const [daily] = checkPrices([written('gbpusd-d1-bid.csv', [head, ...days])]);
    // On a Sunday the market opens at 22:00 UTC.
    expect(daily).toMatchObject({ timeframe: 'D1', faults: { missing: null } });
    expect(daily?.doubts).toMatchObject({ weekend: { count: 1, firstMs: Date.UTC(2024, 0, 6) }, gaps: null });
    expect(daily?.doubts).toMatchObject({ flat: { count: 4 } });
  });

  it('counts no row of the night before a Friday, when it is Thursday in New York, as one of a weekend', () => {
    const rows = ['2024-01-05 01:00', '2024-01-06 01:00', '2024-01-07 01:00', '2024-01-07 23:00'];
    const [found] = checkPrices([written('gbpusd-m1-bid.csv', [head, ...rows.map((row) => `${row},1.1,1.1,1.1,1.1`)])]);
    expect(found?.doubts?.weekend).toEqual({ count: 2, firstMs: Date.UTC(2024, 0, 6, 1) });
  });

  it('counts spikes, flat runs, weekends, asks that are the bid, and gaps, with the first of each', () => {
    const at = (day: number, minute: number): string => new Date(Date.UTC(2024, 0, day, 12, minute)).toISOString();
    const flat = Array.from({ length: 90 }, (_, minute) => `${at(13, minute)},1.1,1.1,1.1,1.1`);
    const rows = [
      `${at(9, 0)},1.1,1.1001,1.0999,1.1`,
      `${at(9, 1)},1.1,1.2,1.0999,1.1`,
      `${at(9, 2)},1.1,1.1001,1.0999,1.1`,
      `${at(9, 150)},1.1,1.1001,1.0999,1.1`,
      ...flat,
    ];
    const bids = written('eurusd-doubt-bid.csv', [head, ...rows]);
    const asks = written('eurusd-doubt-ask.csv', [
      head,
      ...rows.slice(0, 3),
      ...flat.map((row) => row.replaceAll('1.1,', '1.2,').replace(/1\.1$/, '1.2')),
    ]);
    const [first, second] = checkPrices([bids, asks]);
    expect(first).toMatchObject({ isSound: true, faults: { missing: 147 + 5_609 } });
    expect(first?.doubts).toEqual({
      spikes: { count: 1, firstMs: Date.parse(at(9, 1)) },
      flat: { count: 90, firstMs: Date.parse(at(13, 0)) },
      weekend: { count: 90, firstMs: Date.parse(at(13, 0)) },
      noSpread: null,
      gaps: { count: 2, firstMs: Date.parse(at(9, 2)) },
    });
    expect(second?.doubts?.noSpread).toEqual({ count: 3, firstMs: Date.parse(at(9, 0)) });
    const levels = { spikePct: 10, flatMinutes: 91, gapMinutes: 200 };
    expect(checkPrices([bids], { levels, isOpenOnWeekends: true })[0]?.doubts).toEqual({
      ...{ spikes: { count: 0, firstMs: null }, flat: { count: 0, firstMs: null }, weekend: null, noSpread: null },
      gaps: { count: 1, firstMs: Date.parse(at(9, 150)) },
    });
    expect(checkPrices([`BTCUSD=${bids}`])[0]?.doubts?.weekend).toBeNull();
  });

  it('rejects a file that is not a price file', () => {
    expect(() => checkPrices([written('x.csv', ['a,b'])])).toThrow(
      'x.csv: neither bars nor ticks in a known format: it begins with "a,b", not with timestamp,open,high,low,close or timestamp,bid,ask: convert it with daemon data import',
    );
    expect(() => checkPrices([join(folder, 'gone.csv')])).toThrow('gone.csv: cannot be read');
  });
});

describe('a backtest over faulty prices', () => {
  const spec = { streams: streamsOf({ main: 'EURUSD@M1' }) };
  const crossed = written('crossed-ask.csv', [
    head,
    ...minutes.map((time, at) => `${time},${at === 20 ? 1.05 : 1.15},1.25,1.05,1.15`),
  ]);
  const files = [bid, `EURUSD=${crossed}`];

  it('is refused when asks lie below bids', async () => {
    await expect(runHandlers('', { files }, spec)).rejects.toThrow(
      '1 minute of EURUSD has an ask below the bid, the first at 2024-01-09 12:20',
    );
    await expect(runHandlers('', { files: [bid, ask] }, spec)).rejects.toThrow(
      'line 6 has the time of the line before',
    );
  });

  it('runs with --accept-faulty: impossible rows are skipped, asks are raised to the bid, and the report lists both', async () => {
    const accepted = await runHandlers('onBar(bar, trade) { trade.log("bar"); }', { files, acceptFaulty: true }, spec);
    const report = reportOf(accepted, { ...spec, module: 'x.ts', capital: 1_000 }, files);
    expect(report.range.faults).toEqual({ EURUSD: { crossed: 1, skipped: 0, weekend: 0 } });
    const worse = await runHandlers('', { files: [bid, ask], acceptFaulty: true }, spec);
    const second = reportOf(worse, { ...spec, module: 'x.ts', capital: 1_000 }, files);
    expect(second.range.faults).toEqual({ EURUSD: { crossed: 1, skipped: 5, weekend: 0 } });
    expect(reportTable(second)).toMatch(/^faulty +EURUSD: 1 ask below the bid was raised to it, 5 rows were skipped$/m);
  });

  it('states the rows of a weekend on which orders were filled, unless the market has its hours', async () => {
    const saturday = written('saturday-bid.csv', [
      head,
      ...minutes.map((time) => `${time.replace('-09', '-13')},1.1,1.2,1.0,1.1`),
    ]);
    const weekend = [`EURUSD=${saturday}`];
    const run = (broker: Readonly<Record<string, string>>) =>
      runHandlers('', { files: weekend, broker: { SIM_SPREAD: '10', ...broker } }, spec);
    const report = reportOf(await run({}), { ...spec, module: 'x.ts', capital: 1_000 }, weekend);
    expect(reportTable(report)).toContain(
      'faulty    EURUSD: 30 rows are on a weekend, when this market is closed: orders were filled there, SIM_HOURS=market refuses them',
    );
    expect((await run({ SIM_HOURS: 'market' })).faults).toEqual({});
  });

  it('ignores crossed asks that --spread replaces', async () => {
    const run = await runHandlers('', { files, broker: { SIM_SPREAD: '10' } }, spec);
    expect(reportOf(run, { ...spec, module: 'x.ts', capital: 1_000 }, files).range.faults).toEqual({});
  });
});
