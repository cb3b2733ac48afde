import { timeframeOf } from '@libs/terminal-client';
import { RunningSimulator } from '../testing/running-simulator';

const [hour, day] = [3_600_000, 86_400_000];

/** A simulator whose market is moved by hand, and its direct terminal. */
async function standing(startMs: number) {
  const { simulator, client, clock } = await RunningSimulator.start({ hours: 'market', speed: 1 }, startMs);
  return { direct: simulator.direct(), client, clock };
}

describe('bars as they close', () => {
  it.each(['M1', 'M20', 'H1', 'H4', 'D1'])(
    'of %s are those of the history, over a change of the clocks',
    async (name) => {
      const timeframe = timeframeOf(name);
      if (timeframe === null) throw new Error(name);
      // In Athens the clocks went back on Sunday, 27 October 2024.
      const startMs = Date.UTC(2024, 9, 25, 9, 17);
      const { direct, client, clock } = await standing(startMs);
      const first = await client.copyRatesFromPos('EURUSD', timeframe, 0, 1);
      const open = (first?.time[0] ?? 0) * 1_000;
      const closing = direct.closingBars('EURUSD', timeframe, open - 3 * hour);
      await clock.advance(4 * day);
      const nowMs = startMs + 4 * day;
      const rows: number[][] = [];
      for (let bar = closing?.next(nowMs); bar; bar = closing?.next(nowMs)) {
        if (bar.serverMs >= open) {
          rows.push([
            bar.serverMs / 1_000,
            bar.open,
            bar.high,
            bar.low,
            bar.close,
            bar.tickVolume,
            bar.closedMs / 1_000,
          ]);
        }
      }
      const bars = await client.copyRatesRange('EURUSD', timeframe, open / 1_000, 1e10);
      const expected = Array.from(bars?.time ?? [], (time, at) => [
        time,
        bars?.open[at],
        bars?.high[at],
        bars?.low[at],
        bars?.close[at],
        bars?.tick_volume[at],
        bars?.time[at + 1],
      ]);
      // The last one forms.
      expect(rows).toEqual(expected.slice(0, -1));
    },
  );

  it('come with the first quote after them, and not before', async () => {
    const startMs = Date.UTC(2024, 4, 14, 10);
    const { direct, client, clock } = await standing(startMs);
    const timeframe = timeframeOf('M1');
    if (timeframe === null) throw new Error('M1');
    const closing = direct.closingBars('EURUSD', timeframe, startMs);
    const [come, known]: [number[], (number | undefined)[]] = [[], []];
    for (let at = 1; at <= 400; at++) {
      await clock.advance(1_500);
      const bar = closing?.next(startMs + at * 1_500) ?? null;
      const bars = await client.copyRatesFromPos('EURUSD', timeframe, 1, 1);
      if (!bar) continue;
      come.push(bar.serverMs / 1_000);
      known.push(bars?.time[0]);
    }
    expect(come.length).toBeGreaterThan(7);
    expect(come).toEqual(known);
    expect(closing?.next(startMs + 400 * 1_500)).toBeNull();
  });
});
