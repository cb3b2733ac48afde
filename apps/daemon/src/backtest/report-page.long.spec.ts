import { resolve } from 'node:path';
import { spec } from '../core/testing/spec';
import { reportOf } from './report';
import { reportPage } from './report-page';
import { runBacktest } from './run-backtest';
import { generatedPrices } from './testing/generated-prices';
import { streamsOf } from './testing/written-strategy';

describe('the page of a month with more than 1,270 trades', () => {
  it('is smaller than a megabyte, and contains the license of the chart library', async () => {
    const crossing = {
      ...{ ...spec, module: resolve(__dirname, '../../../../strategies/ema-cross.ts'), capital: 100_000 },
      ...{ streams: streamsOf({ main: 'GBPUSD@M1' }), params: { fast: 9, slow: 20 } },
    };
    const result = await runBacktest({ spec: crossing, files: generatedPrices, fromMs: null, toMs: null });
    const report = reportOf(result, crossing, generatedPrices);
    expect(report.trades.length).toBeGreaterThan(1_270);
    const page = await reportPage(report, result);
    expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
    expect(page).toContain('Leon Sorokin');
  });
});
