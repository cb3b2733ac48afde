import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareReports } from './compare-reports';
import type { PageData } from './page/page-data';
import { tradesOf } from './page/page-data';
import { portfolioPage } from './portfolio-page';
import { portfolioColumnsOf, portfolioReportOf, type PortfolioColumns, type PortfolioReport } from './portfolio-report';
import { portfolioTable } from './portfolio-table';
import { writeTicks, type WrittenQuote } from './testing/written-prices';
import { runWritten, writtenStrategies } from './testing/written-portfolio';
import { reportCsv } from './trades-csv';
import { tradeOrders } from './trade-order';

const folder = mkdtempSync(join(tmpdir(), 'portfolio-report-'));
const startMs = Date.UTC(2024, 0, 8);
const ticksOf = (symbol: string, bidAt: (minute: number) => number): string =>
  writeTicks(
    join(folder, `${symbol.toLowerCase()}.csv`),
    Array.from({ length: 300 }, (_, minute): WrittenQuote => {
      const bid = bidAt(minute);
      return [startMs + minute * 60_000, bid, bid + 0.0001];
    }),
  );
const files = [
  ticksOf('EURUSD', (minute) => 1.1 + Math.sin(minute / 9) / 200),
  ticksOf('GBPUSD', (minute) => 1.3 + Math.cos(minute / 5) / 150),
];
const turns = (volume: number): string => `
  onBar(bar, trade) {
    if (++n % 7 !== 0) return;
    const open = trade.position('main');
    if (open) trade.close(open);
    else trade.buy('main', { volume: ${volume} });
    trade.log('turn');
  }`;
const specs = writtenStrategies(30_000, {
  euro: { handlers: turns(0.5), streams: { main: 'EURUSD@M1' } },
  pound: { handlers: turns(0.2), streams: { main: 'GBPUSD@M1' } },
  wrong: {
    handlers: `onBar(bar, trade) { if (++n > 3) throw new Error('<lost>'); trade.buy('main', { volume: 900 }); }`,
    streams: { main: 'EURUSD@M5' },
  },
});
const portfolio = {
  ...{ name: 'book', capital: 30_000, risk: { maxDailyLoss: 5_000, maxDrawdownPct: null } },
  children: specs.map(({ name }) => name),
};

describe('the report of a portfolio', () => {
  let report: PortfolioReport;
  let columns: PortfolioColumns;
  beforeAll(async () => {
    const result = await runWritten(specs, { files }, portfolio.risk);
    report = portfolioReportOf(result, portfolio, specs, files);
    columns = portfolioColumnsOf(result);
  });
  const sum = (of: (strategy: PortfolioReport['strategies'][number]) => number): number =>
    report.strategies.reduce((total, strategy) => total + of(strategy), 0);

  it('has the figures of the account, to which the strategies add up', () => {
    const { figures } = report;
    expect(report.strategies.map(({ name, capital }) => [name, capital])).toEqual([
      ['book/euro', 10_000],
      ['book/pound', 10_000],
      ['book/wrong', 10_000],
    ]);
    expect(figures.startEquity).toBe(30_000);
    expect(figures.netProfit).toBeCloseTo(
      sum((strategy) => strategy.figures.netProfit),
      6,
    );
    expect(figures.endEquity - 30_000).toBeCloseTo(
      sum((strategy) => strategy.figures.endEquity - 10_000),
      6,
    );
    expect(figures.returnPct).toBeCloseTo(
      sum(({ contributionPct }) => contributionPct),
      3,
    );
    expect(figures.trades).toBe(sum((strategy) => strategy.figures.trades));
    expect(figures.trades).toBeGreaterThan(20);
    expect(figures.spreadPaid).toBeCloseTo(
      sum((strategy) => strategy.figures.spreadPaid ?? 0),
      2,
    );
    // Losses of one are the gains of another at times: the account falls less than both together.
    expect(figures.maxDrawdown).toBeLessThan(sum((strategy) => strategy.figures.maxDrawdown));
    expect(figures.maxDrawdown).toBeGreaterThan(0);
    expect(Object.keys(report.range.gaps)).toEqual(['EURUSD', 'GBPUSD']);
  });

  it('has buy and hold of equal parts in each symbol beside it, in the table and on the page', async () => {
    // The last bar never closes.
    const grown = (bidAt: (minute: number) => number): number => Number(((bidAt(298) / bidAt(0) - 1) * 100).toFixed(4));
    const euro = grown((minute) => 1.1 + Math.sin(minute / 9) / 200);
    const pound = grown((minute) => 1.3 + Math.cos(minute / 5) / 150);
    const { symbols = {}, returnPct = 0 } = report.benchmark ?? {};
    expect(Object.keys(symbols)).toEqual(['EURUSD', 'GBPUSD']);
    expect(symbols.EURUSD).toBeCloseTo(euro, 2);
    expect(symbols.GBPUSD).toBeCloseTo(pound, 2);
    expect(returnPct).toBeCloseTo((euro + pound) / 2, 2);
    expect(portfolioTable(report)).toMatch(/^buy and hold EURUSD, GBPUSD in equal parts +-?\d+\.\d\d %$/m);
    const html = await portfolioPage(report, columns);
    expect(html).toMatch(/EURUSD, GBPUSD in equal parts, held without leverage and costs/);
  });

  it('names the strategy of each trade, fill, log line and reject', () => {
    const symbolOf = { 'book/euro': 'EURUSD', 'book/pound': 'GBPUSD' } as Readonly<Record<string, string>>;
    expect(report.trades.map(({ symbol }) => symbol)).toEqual(report.trades.map(({ strategy }) => symbolOf[strategy]));
    expect(columns.fills.map(({ symbol }) => symbol)).toEqual(columns.fills.map(({ strategy }) => symbolOf[strategy]));
    expect(new Set(columns.logs.map(({ strategy }) => strategy))).toEqual(new Set(['book/euro', 'book/pound']));
    expect(columns.logs.map(({ timeMs }) => timeMs)).toEqual(
      columns.logs.map(({ timeMs }) => timeMs).sort((a, b) => a - b),
    );
    expect(report.rejects).toMatchObject([{ strategy: 'book/wrong', count: 3 }]);
    expect(Object.keys(columns.strategyEquity)).toEqual(['book/euro', 'book/pound', 'book/wrong']);
  });

  it('has a row for a strategy that was halted for its errors', () => {
    const [, , wrong] = report.strategies;
    expect(wrong).toMatchObject({
      ...{ haltReason: '5 handlers threw in a row', failure: null },
      ...{ halts: [{ kind: 'persistent', reason: '5 handlers threw in a row' }] },
    });
    expect(wrong?.firstError?.error).toMatch(/^<lost>\n\s+at .*wrong\.ts/);
  });

  it('is a table', () => {
    const text = portfolioTable(report);
    // There are prices of a single day.
    expect(text).toMatch(/^CORRELATION +book\/euro +book\/pound +book\/wrong$\n^book\/euro +– +– +–$/m);
    expect(text).toMatch(/^portfolio book with 3 strategies$/m);
    expect(text).toMatch(/^book\/euro {2}euro\.ts version 1 on main EURUSD@M1 with 10000, \{"step":1\}$/m);
    expect(text).toMatch(/^limits {4}maxDailyLoss 5000$/m);
    expect(text).toMatch(/^STRATEGY +NET PROFIT +CONTRIBUTION % /m);
    expect(text).toMatch(/^book\/pound +-?\d+\.\d\d +-?\d+\.\d\d .* ran$/m);
    expect(text).toMatch(/^book\/wrong .* halted, \d+ errors$/m);
    expect(text).toMatch(/^2024-01-08 \d\d:\d\d +book\/wrong +persistent +5 handlers threw in a row$/m);
    expect(text).toMatch(/^3 +book\/wrong +rejected /m);
    expect(text).toMatch(/^book\/wrong threw \d+ times, first at 2024-01-08 \d\d:\d\d: <lost>$/m);
  });

  it('is a page with the strategies and their trades', async () => {
    const monteCarlo = tradeOrders([40, -30], 1_000, { runs: 9, seed: 4, drawdownsPct: [] });
    const html = await portfolioPage({ ...report, monteCarlo }, columns);
    const inYen = portfolioTable({ ...report, account: { ...report.account, currency: 'JPY' }, monteCarlo });
    expect(inYen).toMatch(/^lowest balance +1000 +970 /m);
    expect(portfolioTable({ ...report, monteCarlo })).toContain('9 orders of the 2 closed trades, drawn by seed 4.');
    expect(html).toContain('9 orders of the 2 closed trades, drawn by seed 4.');
    expect(html).toContain('<h1>Portfolio book</h1>');
    expect(html).toMatch(/<td[^>]*>book\/wrong<\/td>.*<td[^>]*>halted, \d+ errors<\/td>/);
    expect(html).toContain('&lt;lost&gt;');
    const [, json = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html) ?? [];
    const data = JSON.parse(json) as PageData;
    expect(data.strategies).toEqual(['book/euro', 'book/pound', 'book/wrong']);
    expect(data.results).toHaveLength(3);
    expect(data.digits).toBe(5);
    expect(tradesOf(data).map(({ strategy }) => strategy)).toEqual(report.trades.map(({ strategy }) => strategy));
  });

  it('has its trades as CSV', () => {
    const [head, first = '', ...more] = reportCsv(report.trades).trim().split('\n');
    expect(head).toBe('strategy,opened,closed,side,symbol,lots,entry,exit,by,costs,result,mae,mfe');
    expect(first).toMatch(/^book\/\w+,2024-01-08T\d\d:\d\d:00\.000Z,2024-01-08T.*,buy,(EURUSD|GBPUSD),0\.\d,/);
    expect(more).toHaveLength(report.trades.length - 1);
    const alone = report.trades.map(({ strategy: _, ...trade }) => trade);
    expect(reportCsv(alone).split('\n')[0]).toBe('opened,closed,side,symbol,lots,entry,exit,by,costs,result,mae,mfe');
  });

  it('is compared with another one, strategy by strategy', () => {
    const [first] = report.strategies;
    const changed: PortfolioReport = {
      ...report,
      strategies: report.strategies.map((one) =>
        one === first ? { ...one, strategy: { ...one.strategy, params: { step: 2 } } } : one,
      ),
      trades: report.trades.slice(1),
    };
    const { settings, figures, trades } = compareReports(report, changed);
    expect(settings).toEqual([{ name: 'book/euro param step', first: '1', second: '2' }]);
    const figure = (wanted: string) => figures.find(({ name }) => name === wanted);
    expect(figure('book/pound trades')?.first).toBe(String(report.strategies[1]?.figures.trades));
    expect(figure('buy and hold EURUSD, GBPUSD in equal parts')?.second).toMatch(/^-?\d+\.\d\d %$/);
    expect([trades.same, trades.onlyFirst, trades.onlySecond]).toEqual([
      report.trades.length - 1,
      report.trades.slice(0, 1),
      [],
    ]);
  });

  it('is compared with one of an earlier version, which has no buy and hold', () => {
    const { benchmark, ...earlier } = report;
    const { figures } = compareReports(earlier as PortfolioReport, report);
    const held = figures.filter(({ name }) => name.startsWith('buy and hold'));
    expect(benchmark).not.toBeNull();
    expect(held).toMatchObject([{ first: '–', second: expect.stringContaining('%') }]);
  });
});

describe('the positions that are open at the end of a portfolio', () => {
  it('are listed with their strategies, and their floating results are the open profit', async () => {
    const once = (side: string, volume: number): string =>
      `onBar(bar, trade) { if (++n === 5) trade.${side}('main', { volume: ${volume} }); }`;
    const holders = writtenStrategies(30_000, {
      euro: { handlers: once('buy', 0.5), streams: { main: 'EURUSD@M1' } },
      pound: { handlers: once('sell', 0.2), streams: { main: 'GBPUSD@M1' } },
    });
    const result = await runWritten(holders, { files }, portfolio.risk);
    const report = portfolioReportOf(result, { ...portfolio, children: ['euro', 'pound'] }, holders, files);
    expect(report.openPositions).toMatchObject([
      { strategy: holders[0]?.name, side: 'buy', symbol: 'EURUSD', volume: 0.5 },
      { strategy: holders[1]?.name, side: 'sell', symbol: 'GBPUSD', volume: 0.2 },
    ]);
    const floating = report.openPositions.reduce((total, { floating: each }) => total + each, 0);
    expect(floating).not.toBe(0);
    expect(floating).toBeCloseTo(report.figures.openProfit, 6);
    expect(portfolioTable(report)).toMatch(
      /^STILL OPEN +STRATEGY +SIDE .*\n2024-01-08 \d\d:\d\d +\S*euro +buy +EURUSD +0\.5 /m,
    );
    expect(await portfolioPage(report, portfolioColumnsOf(result))).toContain('<h2>Still open</h2>');
  });
});
