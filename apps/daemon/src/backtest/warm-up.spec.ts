import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  it('is merged by time over the streams, as many bars of each as the strategy asks for', async () => {
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

  it('gives two symbols that are aligned by time an aligned past', async () => {
    const handlers = `onBar(bar, trade) {
      const [euro] = trade.bars('euro', 1);
      if (trade.warmingUp && bar.stream === 'pound' && euro && euro.timeMs === bar.timeMs) n++;
      if (!trade.warmingUp) trade.log(String(n));
    }`;
    const streams = streamsOf({ pound: 'GBPUSD@M1', euro: 'EURUSD@M1' });
    const result = await runHandlers(handlers, { files }, { streams, params: { bars: 120 } });
    expect(said(result)[0]).toBe('120');
  });
});
