import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spec as anySpec } from '../core/testing/spec';
import { writeBars, writeTicks, type WrittenBar } from '../backtest/testing/written-prices';
import { streamsOf } from '../backtest/testing/written-strategy';
import { bundleForScreening } from '../strategies/strategy-bundler';
import { KeptThread } from '../backtest/thread/kept-thread';
import { parseGrid } from './axis';
import { parseConditions } from './condition';
import { optimizeCsv } from './optimize-csv';
import { optimizePage } from './optimize-page';
import { optimizeReport } from './optimize-report';
import { optimizeTable } from './optimize-table';
import { gridSets } from './parameter-sets';
import { ResultsFile } from './results-file';
import { hostsToConfirm, runSearch, runsOf, type Search } from './search';
import type { SetHost } from './process-host';
import { runSet, type SetJob, type SetOutcome, type SetResult } from './set-run';
import { Sweep } from './sweep';
import { windowsOf } from './walk-forward';

const folder = mkdtempSync(join(tmpdir(), 'search-'));
const startMs = Date.UTC(2024, 0, 1);
const minuteMs = 60_000;
/** Four days of quotes, one each half hour: up for two days, then down. */
const quotes = Array.from({ length: 192 }, (_, index) => {
  const bid = Number((1.1 + (index < 96 ? index : 192 - index) * 0.0003).toFixed(5));
  return [startMs + index * 30 * minuteMs, bid, Number((bid + 0.0001).toFixed(5))] as const;
});
const files = [writeTicks(join(folder, 'eurusd.csv'), quotes)];
const strategyFile = join(folder, 'strategy.ts');
writeFileSync(
  strategyFile,
  `import { defineStrategy } from '@libs/strategy';
export default defineStrategy({ version: 3, params: class { side = 'buy'; hold = 10; }, create: ({ params }) => {
  if (params.hold === 13) throw new Error('no luck');
  let n = 0;
  return { onBar(bar, trade) {
    n++;
    if (params.hold === 12 && n === 5) throw new Error('broken handler');
    if (n % 20 === 1) { if (params.side === 'buy') trade.buy('main', { volume: 0.1 }); else trade.sell('main', { volume: 0.1 }); }
    if (n % 20 === params.hold) for (const position of trade.positions()) trade.close(position);
  } };
} });`,
);
const spec = { ...anySpec, module: strategyFile, streams: streamsOf({ main: 'EURUSD@M1' }) };
const strategy = { version: 3, params: { side: 'buy', hold: 10 } };
const axes = parseGrid('side=buy|sell,hold=5:10:5', []);
const base = { spec, files, fromMs: null, toMs: null };

const thread = new KeptThread();
afterAll(() => thread.end());

/** Runs sets in the process of the test, and counts them. */
class Here implements SetHost {
  runs = 0;
  onRun: (() => void) | null = null;

  async run(job: SetJob): Promise<SetOutcome | null> {
    this.runs++;
    this.onRun?.();
    return this.onRun === null ? runSet(job, thread) : null;
  }

  end(): void {}
}

const quiet = { note: () => undefined };

function searchOf(changes: Partial<Search> = {}): Search {
  return { sets: gridSets(axes, [], {}), metric: 'netProfit', windows: null, base, ...changes };
}

function reportOf(search: Search, outcome: Awaited<ReturnType<typeof runSearch>>, currency = 'USD') {
  const { metric, sets } = search;
  const walkForward =
    search.windows === null ? null : ({ train: { count: 1, unit: 'd' }, test: { count: 1, unit: 'd' } } as const);
  const plan = {
    axes,
    where: [],
    random: null,
    metric,
    minTrades: 0,
    walkForward,
    sets: sets.length,
    gridSets: 4,
    runs: runsOf(search),
  };
  return optimizeReport({ ...spec, currency }, strategy, files, plan, outcome);
}

async function outcomeOf(search: Search, results = ResultsFile.inMemory(), host = new Here()) {
  return { host, outcome: await runSearch(search, new Sweep([host], results, quiet), results) };
}

describe('the confirmations of a search', () => {
  const rowOf = (days: number, trades: number) => {
    const run = { startMs, endMs: startMs + days * 86_400_000, haltReason: null, curve: null };
    return { result: { ...run, figures: { trades } as SetResult['figures'] } };
  };

  it('are those of one process for a table of a month, and of several for one of a year', () => {
    const rows = (days: number, trades: number) => Array.from({ length: 20 }, () => rowOf(days, trades));
    expect([rows(28, 1_032), rows(365, 13_416), [null]].map((each) => hostsToConfirm(each))).toEqual([1, 9, 1]);
  });

  it('compile the engine in no more processes than that', async () => {
    const ran: [host: number, how: SetJob['how']][] = [];
    const hostOf = (host: number): SetHost => ({
      run({ how }) {
        ran.push([host, how]);
        const result = { ...rowOf(28, 1_032).result, proof: how === 'confirm' ? 'confirmed' : 'screened' } as const;
        return Promise.resolve({ result });
      },
      end: () => undefined,
    });
    const results = ResultsFile.inMemory();
    await runSearch(searchOf({ shown: 4 }), new Sweep([hostOf(1), hostOf(2)], results, quiet), results);
    expect(ran.filter(([, how]) => how === 'screen').map(([host]) => host)).toEqual([1, 2, 1, 2]);
    expect(ran.filter(([, how]) => how === 'confirm').map(([host]) => host)).toEqual([1, 1, 1, 1]);
  });
});

describe('a search', () => {
  it('ranks the sets by the metric, each with the figures of a backtest of its own', async () => {
    const search = searchOf({
      sets: [...gridSets(axes, [], {}), { set: 77, params: { hold: 12 } }, { set: 78, params: { hold: 13 } }],
    });
    const { outcome } = await outcomeOf(search);
    const report = reportOf(search, outcome);
    expect(report).toMatchObject({
      isComplete: true,
      failed: 2,
      strategy: { file: 'strategy.ts', version: 3, params: {} },
    });
    const [best] = report.rows;
    const profits = report.rows.flatMap(({ run }) => run?.figures.netProfit ?? []);
    expect(profits).toHaveLength(4);
    expect(profits).toEqual([...profits].sort((a, b) => b - a));

    const alone = await runSet({
      options: { ...base, spec: { ...spec, params: best?.params ?? {} } },
      wantsCurve: false,
    });
    expect('result' in alone && alone.result.figures).toEqual(best?.run?.figures);

    expect(outcome.rows[0]?.result?.days?.map(([day]) => day * 86_400_000)).toEqual(
      [0, 1, 2, 3].map((day) => startMs + day * 86_400_000),
    );
    const few = 'not defined: fewer than two sets have a Sharpe ratio';
    expect(optimizeTable(report, 2)).toContain(`probability of overfitting: –\n  ${few}`);
    expect(optimizePage(report, outcome.rows)).toContain(`<b>–</b>probability of overfitting<p>${few}.</p>`);

    const failed = report.rows.filter(({ error }) => error !== null);
    expect(failed.map(({ set, error }) => [set, error?.split('\n')[0]])).toEqual([
      [77, 'broken handler'],
      [78, expect.stringContaining('no luck')],
    ]);
    const text = optimizeTable(report, 2);
    expect(text).toMatch(/^SET +SIDE +HOLD +NET PROFIT +NEIGHBOURS +FLOATING +RETURN %/m);
    expect(text).toMatch(/^77 +\{"hold":12\} +broken handler \(strategy\.ts:\d+\)$/m);
    // The same figures of accounts in yen and in dinars.
    const tableIn = (currency: string): string => optimizeTable({ ...reportOf(search, outcome, currency) }, 1);
    const [ofBest] = profits;
    const [yen, dinars] = [ofBest?.toFixed(0), ofBest?.toFixed(3)].map((amount) => ` ${amount} +[-0-9.]+ +`);
    expect(tableIn('JPY')).toMatch(new RegExp(`^capital +10000 JPY$[^]*${yen}`, 'm'));
    expect(tableIn('BHD')).toMatch(new RegExp(`^capital +10000 BHD$[^]*${dinars}`, 'm'));
    const csv = optimizeCsv(report).split('\r\n');
    expect(csv[0]).toMatch(/^set,window,side,hold,metric,neighbours,from,to,startEquity,/);
    expect(csv).toHaveLength(8);
    const page = optimizePage(report, outcome.rows);
    expect(page).toContain('side by hold');
    expect(page.match(/<td class="[gb]"/g)).toHaveLength(4);
    expect(page).toMatch(/<h2>Stability of the parameters<\/h2>.*<h3>side<\/h3>.*<h3>hold<\/h3>/s);
    expect(page).not.toMatch(/<script|https?:/);
  });

  it('chooses the best set of each training part and tests it on the part after', async () => {
    const dayMs = 1_440 * minuteMs;
    const lengths = { train: { count: 1, unit: 'd' }, test: { count: 1, unit: 'd' } } as const;
    const windows = windowsOf(lengths, startMs, startMs + 4 * dayMs - 1);
    const search = searchOf({ windows, sets: gridSets(axes, parseConditions('hold=10', []), {}) });
    const { outcome, host } = await outcomeOf(search);
    expect(host.runs).toBe(9);
    const report = reportOf(search, outcome);
    // Prices turn after the second day: what was best until then loses on the third.
    expect(report.windows?.map(({ params, run }) => [params?.side, Math.sign(run?.figures.netProfit ?? 0)])).toEqual([
      ['buy', 1],
      ['buy', -1],
      ['sell', 1],
    ]);
    const { outOfSample } = report;
    expect(outOfSample).toMatchObject({ windows: 3, profitableWindows: 2 });
    const parts = report.windows?.map(({ run }) => run?.figures.endEquity ?? 0) ?? [];
    expect(outOfSample?.curve.at(-1)?.[1]).toBeCloseTo(10_000 + parts.reduce((sum, end) => sum + end - 10_000, 0), 2);
    const times = outOfSample?.curve.map(([timeMs]) => timeMs) ?? [];
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(optimizePage(report, outcome.rows)).toContain('polyline class="equity"');
  });
});

describe('a search that screens', () => {
  const bars = Array.from({ length: 600 }, (_, index): WrittenBar => {
    const open = 1.1 + Math.sin(index / 40) / 100;
    const close = 1.1 + Math.sin((index + 1) / 40) / 100;
    return [startMs + index * minuteMs, open, Math.max(open, close) + 0.0002, Math.min(open, close) - 0.0002, close];
  });
  const module = join(folder, 'screened.ts');
  writeFileSync(
    module,
    `import { defineStrategy } from '@libs/strategy';
import { EMA } from 'trading-signals';
let total = 0;
export default defineStrategy({ version: 1, params: class { hold = 10; how = 'plain'; }, create: ({ params: { hold, how } }) => {
  let n = 0;
  if (how === 'global') globalThis.left = (globalThis.left ?? 0) + 1;
  const average = new EMA(2);
  if (how === 'indicator') EMA.prototype.left = (average.left ?? 0) + 1;
  return { onBar(bar, trade) {
    n++;
    total++;
    average.add(bar.close);
    if (n % 2 === 0) bar.close += 0.00001;
    bar.seen = (bar.seen ?? 0) + 1;
    if (how === 'promise' && n === 5) Promise.resolve().then(() => { n += 3; });
    if (how === 'rejected' && n === 5) Promise.reject(new Error('no promise'));
    if (how === 'later' && n === 5) queueMicrotask(() => { n += 3; });
    if (how === 'account' && n === 5) trade.account('main');
    if (how === 'limit' && n === 5) trade.buy('main', { kind: 'limit', volume: 0.1, price: 1 });
    if (how === 'broken' && n === 5) throw new Error('broken handler');
    if (n % 20 === 1) trade.buy('main', { volume: 0.01 * (total % 3 + bar.seen + (globalThis.left ?? 0) + (average.left ?? 0)), sl: bar.close - 0.001 });
    if (n % 20 === hold) for (const position of trade.positions()) trade.close(position);
  } };
} });`,
  );
  const base = {
    ...{ spec: { ...spec, module }, fromMs: null, toMs: null },
    files: writeBars(mkdtempSync(join(folder, 'bars-')), 'EURUSD', bars, 0.0001),
  };
  const setsOf = (text: string) => gridSets(parseGrid(text, []), [], {});
  const proofs = ({ rows }: Awaited<ReturnType<typeof runSearch>>) =>
    rows.map(({ result, error }) => result?.engineReason ?? result?.proof ?? error?.split('\n')[0]);

  it('confirms what it shows, marks the rest, and has the same figures as one that runs every set in full', async () => {
    const search = searchOf({ base, sets: setsOf('hold=3:12:1'), shown: 3 });
    const screened = await outcomeOf(search);
    const report = reportOf(search, screened.outcome);
    expect(screened.host.runs).toBe(13);
    expect(report.rows.map(({ proof }) => proof)).toEqual([
      ...Array(3).fill('confirmed'),
      ...Array(7).fill('screened'),
    ]);
    expect(report).toMatchObject({
      isComplete: true,
      screening: { screened: 7, confirmed: 3, engine: 0, disagreements: 0 },
    });
    expect(optimizeTable(report, 3)).toMatch(
      /^figures +7 screened by the kernel alone, 3 confirmed by the full engine/m,
    );
    expect(optimizeTable(report, 3)).toMatch(/^SET .* PROOF$/m);
    expect(optimizeCsv(report).split('\r\n')[9]).toContain(',screened,');
    expect(optimizePage(report, screened.outcome.rows)).toMatch(/<td[^>]*>screened<\/td>/);
    const full = await outcomeOf({ ...search, shown: null });
    const figures = ({ outcome }: typeof full) => outcome.rows.map(({ result }) => [result?.figures, result?.days]);
    expect(figures(screened)).toEqual(figures(full));
    expect(new Set(figures(full).map((row) => JSON.stringify(row))).size).toBe(10);
  });

  it('runs in full what the kernel does not know, and says why', async () => {
    const search = searchOf({ base, sets: setsOf('how=plain|promise|later|account|broken|rejected'), shown: 0 });
    const { outcome } = await outcomeOf(search);
    expect(proofs(outcome)).toEqual([
      ...['screened', 'it uses promises', 'it uses promises', 'it reads the account', 'broken handler'],
      expect.stringContaining('no promise'),
    ]);
    const report = reportOf(search, outcome);
    expect(report.screening.reasons).toEqual({ 'it uses promises': 2, 'it reads the account': 1 });
    expect(optimizeTable(report, 9)).toContain('because it uses promises (2), it reads the account (1)');
  });

  it('screens and confirms a set that places pending orders', async () => {
    const { outcome } = await outcomeOf(searchOf({ base, sets: setsOf('how=plain|limit'), shown: 1 }));
    expect(proofs(outcome).sort()).toEqual(['confirmed', 'screened']);
  });

  it('gives each set globals, variables, indicators and bars of its own', async () => {
    const bundle = await bundleForScreening(module);
    expect([bundle.code, bundle.screenedCode].map((code) => code?.includes('class extends'))).toEqual([true, false]);
    const sets = setsOf('hold=5:6:1,how=global|indicator|plain');
    const screened = await outcomeOf(searchOf({ base: { ...base, bundle }, sets, shown: 6 }));
    expect(proofs(screened.outcome)).toEqual(Array(6).fill('confirmed'));
  });

  it('gives the memory of a set back, whatever its file has declared', async () => {
    const large = join(folder, 'large.ts');
    writeFileSync(
      large,
      `import { defineStrategy } from '@libs/strategy';
import { Type } from 'class-transformer';
import { IsInt, Min, Validate, ValidatorConstraint } from 'class-validator';
const table = Array.from({ length: 250_000 }, (_, index) => index + 0.5);
@ValidatorConstraint() class InTable { validate(value) { return value < table.length; } }
class Params { @IsInt() @Min(1) @Validate(InTable) @Type(() => Number) row = table.length - 1; }
export default defineStrategy({ version: 1, params: Params, create: ({ params }) => ({ onBar() { table[params.row]++; } }) });`,
    );
    const bundle = await bundleForScreening(large);
    const few = new KeptThread({ watchdogMs: 30_000, maxHeapMb: 64, maxExternalMb: 64 });
    const options = { ...base, spec: { ...base.spec, module: large }, bundle };
    const failed = [];
    for (let row = 1; row <= 40; row++) {
      const job: SetJob = {
        ...{ options: { ...options, spec: { ...options.spec, params: { row } } }, wantsCurve: false },
        how: 'screen',
      };
      const outcome = await runSet(job, few);
      if ('error' in outcome) failed.push({ row, error: outcome.error });
    }
    await few.end();
    expect(failed).toEqual([]);
  });

  it('confirms the choices of a walk-forward and their tests', async () => {
    const windows = [0, 1].map((index) => ({
      trainFromMs: startMs + index * 200 * minuteMs,
      testFromMs: startMs + (index + 1) * 200 * minuteMs,
      testToMs: startMs + (index + 2) * 200 * minuteMs,
    }));
    const { outcome } = await outcomeOf(searchOf({ base, windows, sets: setsOf('hold=3:12:3'), shown: 0 }));
    expect(outcome.windows?.map(({ chosen, test }) => [chosen?.result?.proof, test?.proof])).toEqual([
      ['confirmed', 'confirmed'],
      ['confirmed', 'confirmed'],
    ]);
    expect(outcome.rows.filter(({ result }) => result?.proof === 'screened')).toHaveLength(6);
  });

  it('reports both ledgers where kernel and engine disagree, and replaces nothing', async () => {
    const search = searchOf({ base, sets: setsOf('hold=4:5:1'), shown: 2 });
    const results = ResultsFile.inMemory();
    const [first] = (await outcomeOf({ ...search, shown: 0 }, results)).outcome.rows;
    if (!first?.result) throw new Error('the search has no result');
    // As a wrong kernel would have left it.
    const { figures } = first.result;
    results.add(`set ${first.set}`, {
      result: { ...first.result, figures: { ...figures, netProfit: figures.netProfit + 0.01 } },
    });
    const { outcome } = await outcomeOf(search, results);
    const [wrong] = outcome.rows;
    expect(wrong).toMatchObject({
      result: null,
      error: expect.stringMatching(/^kernel and engine disagree: netProfit is .* in the kernel and .* in the engine$/),
    });
    expect(wrong?.ledgers?.engine).toEqual(wrong?.ledgers?.kernel);
    expect(wrong?.ledgers?.engine.length).toBeGreaterThan(20);
    const report = reportOf(search, outcome);
    expect(report).toMatchObject({ failed: 1, screening: { disagreements: 1, confirmed: 1 } });
    expect(optimizeTable(report, 2)).toMatch(/^WRONG +kernel and engine disagree in 1 run:/m);
  });
});

describe('the results of a search', () => {
  it('are kept one by one, so that a stopped search continues where it was', async () => {
    const path = join(folder, 'results.jsonl');
    const search = searchOf({ sets: gridSets(axes, parseConditions('hold=10', []), {}) });
    const whole = await outcomeOf(search);
    const [first] = whole.outcome.rows;
    const results = ResultsFile.create(path, { grid: 1 });
    if (first?.result) results.add(`set ${first.set}`, { result: first.result });
    results.add('set 3', { error: 'the process ended', isLost: true });
    // As a kill leaves it.
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"task":"set 3","outc`);
    const resumed = await outcomeOf(search, ResultsFile.resume(path, { grid: 1 }));
    expect(resumed.host.runs).toBe(1);
    expect(resumed.outcome).toEqual(whole.outcome);
    expect((await outcomeOf(search, ResultsFile.resume(path, { grid: 1 }))).host.runs).toBe(0);
  });

  it('are not mixed with those of another search, and not overwritten', () => {
    const path = join(folder, 'other.jsonl');
    ResultsFile.create(path, { grid: 1, capital: 5 });
    expect(() => ResultsFile.create(path, { grid: 1 })).toThrow('exists; use --resume');
    expect(() => ResultsFile.resume(path, { grid: 2, capital: 5, risk: 1 })).toThrow('it differs in grid, risk');
    expect(() => ResultsFile.resume(strategyFile, {})).toThrow('line 1 is damaged');
    expect(() => ResultsFile.resume(join(folder, 'gone.jsonl'), {})).toThrow('cannot be resumed');
  });

  it('of a search that was stopped are reported as incomplete', async () => {
    const search = searchOf();
    const results = ResultsFile.inMemory();
    const host = new Here();
    const sweep = new Sweep([host], results, quiet);
    host.onRun = () => sweep.stop();
    const outcome = await runSearch(search, sweep, results);
    expect(sweep.wasStopped).toBe(true);
    expect(reportOf(search, outcome)).toMatchObject({ isComplete: false, rows: [] });
  });
});
