import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportOf } from './report';
import { reportPage } from './report-page';
import { openRow, type OpenRow } from './open-rows';
import { reportTable } from './report-table';
import { writeTicks } from './testing/written-prices';
import { runHandlers, streamsOf } from './testing/written-strategy';

const startMs = Date.UTC(2024, 0, 9, 12);
/** A quote each 10 seconds, up by a point each. */
const ticks = Array.from({ length: 30 }, (_, index) => {
  const bid = Number((1.1 + index * 0.00001).toFixed(5));
  return [startMs + index * 10_000, bid, Number((bid + 0.0001).toFixed(5))] as const;
});
const files = [writeTicks(join(mkdtempSync(join(tmpdir(), 'open-')), 'eurusd.csv'), ticks)];
const spec = { streams: streamsOf({ main: 'EURUSD@M1' }) };

const reported = async (action: string) => {
  const result = await runHandlers(`onBar(bar, trade) { if (++n === 2) { ${action} } },`, { files }, spec);
  const { equity, prices } = result;
  const report = reportOf(result, { ...spec, module: 'x.ts', capital: 10_000 }, files);
  return { report, page: await reportPage(report, { equity, prices, logs: [] }) };
};

describe('the positions that are open at the end of a backtest', () => {
  it('have prices with the digits of their symbol', () => {
    const open: OpenRow = {
      ...({ position: 1, side: 'buy', symbol: 'EURUSD', tag: null, volume: 1.1, openedMs: 0 } as const),
      ...{ entryPrice: 1.01, sl: 0, tp: 1.2, floating: 0 },
    };
    expect(openRow(open, { EURUSD: { digits: 5 } }, 'USD').slice(4, 7)).toEqual(['1.01000', '–', '1.20000']);
    expect(openRow(open, {}, 'USD').slice(4, 5)).toEqual(['1.01']);
  });

  it('are listed with their floating results, whose sum is that of the figures', async () => {
    const { report, page } = await reported(
      `trade.buy('main', { volume: 1, sl: 1.09, tag: 'up' }); trade.sell('main', { volume: 0.5 });`,
    );
    // The last quote is 1.10029 / 1.10039, and both were opened at that of the 13th, 1.10012 / 1.10022.
    expect(report.openPositions).toMatchObject([
      { side: 'buy', symbol: 'EURUSD', tag: 'up', volume: 1, entryPrice: 1.10022, sl: 1.09, tp: 0, floating: 7 },
      { side: 'sell', symbol: 'EURUSD', tag: null, volume: 0.5, entryPrice: 1.10012, sl: 0, tp: 0, floating: -13.5 },
    ]);
    expect(report.figures.openProfit).toBe(-6.5);
    expect(reportTable(report)).toMatch(
      /^STILL OPEN +SIDE .*\n2024-01-09 12:02 +buy +EURUSD +1 +1\.10022 +1\.09000 +– +up +7\.00\n/m,
    );
    // The month counts what floats, the net profit does not.
    expect(reportTable(report)).toMatch(/^MONTH +CHANGE OF EQUITY .*\n2024-01 +-?\d/m);
    expect(page).toContain('<h2>Still open</h2>');
  });

  it('have no table if there are none', async () => {
    const { report, page } = await reported('');
    expect(report.openPositions).toEqual([]);
    expect(reportTable(report)).not.toContain('STILL OPEN');
    expect(page).not.toContain('Still open');
  });
});
