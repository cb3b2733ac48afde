import * as fc from 'fast-check';
import { dailyChanges } from './daily-changes';
import { drawdownList, drawdowns } from './drawdown';
import type { EquityPoint } from './equity-curve';
import { performanceOf, sqnOf } from './performance';

const dayMs = 86_400_000;
const monday = Date.UTC(2024, 0, 8);
/** A close on each weekday from a Monday on. */
const curve = (...equities: readonly number[]): EquityPoint[] =>
  equities.map((equity, day) => [monday + (day + 2 * Math.floor(day / 5)) * dayMs, equity]);
const equities = fc.array(fc.integer({ min: 50, max: 200 }), { minLength: 2, maxLength: 60 });

describe('the performance of an equity', () => {
  it('equals a calculation by hand', () => {
    // Changes of 0, +1 %, −2 %, +1 %, +1 %.
    const points = curve(100, 101, 98.98, 99.9698, 100.969498);
    const [mean, squares] = [0.002, 0.002 ** 2 + 2 * 0.008 ** 2 + 0.022 ** 2 + 0.008 ** 2];
    const deviation = Math.sqrt(squares / 4);
    const cagrPct = (1.00969498 ** (365.25 / 4) - 1) * 100;
    const found = performanceOf(points);
    expect(found.volatilityPct).toBeCloseTo(deviation * Math.sqrt(252) * 100, 3);
    expect(found.sharpe).toBeCloseTo((mean / deviation) * Math.sqrt(252), 3);
    expect(found.sortino).toBeCloseTo((mean / Math.sqrt(0.02 ** 2 / 5)) * Math.sqrt(252), 3);
    expect(found.cagrPct).toBeCloseTo(cagrPct, 3);
    expect(found.calmar).toBeCloseTo(cagrPct / 2, 2);
    // The lowest of five days is the first twentieth of them.
    expect(found.valueAtRiskPct).toBeCloseTo(2, 4);
  });

  it('grows by the same share each year, whatever the length of the run', () => {
    const years = Array.from({ length: 2 * 365 + 1 }, (_, day): EquityPoint => [
      monday + day * dayMs,
      100 * 1.1 ** (day / 365.25),
    ]);
    expect(performanceOf(years).cagrPct).toBeCloseTo(10, 4);
  });

  it('has the loss that one day of twenty exceeds', () => {
    const losses = Array.from({ length: 40 }, (_, day) => day);
    let equity = 1_000;
    const points = curve(...losses.map((loss) => (equity *= 1 - loss / 1_000)));
    expect(performanceOf(points).valueAtRiskPct).toBeCloseTo(3.8, 4);
  });

  it('is not stated below five days, nor where it is not defined', () => {
    const none = {
      cagrPct: null,
      volatilityPct: null,
      sharpe: null,
      sortino: null,
      calmar: null,
      valueAtRiskPct: null,
    };
    expect(performanceOf(curve(100, 101, 102, 103))).toEqual({ ...none, tradingDays: 4 });
    expect(performanceOf([])).toEqual({ ...none, tradingDays: 0 });
    expect(performanceOf(curve(100, 101, 102, 103, 104))).toMatchObject({
      sortino: null,
      calmar: null,
      valueAtRiskPct: 0,
    });
    expect(performanceOf(curve(100, 50, 20, 10, 0))).toMatchObject({ cagrPct: null, calmar: null });
  });

  it('has the sign of the result, and no value at risk above the deepest day', () => {
    fc.assert(
      fc.property(equities, (values) => {
        const points = curve(...values);
        const { cagrPct, valueAtRiskPct } = performanceOf(points);
        const gain = (values.at(-1) ?? 0) - (values[0] ?? 0);
        const isSame = cagrPct === null || Math.sign(cagrPct) === Math.sign(gain);
        const worst = Math.max(0, ...dailyChanges(points).map((change) => -change * 100));
        expect([isSame, (valueAtRiskPct ?? 0) <= worst + 1e-4]).toEqual([true, true]);
      }),
    );
  });
});

describe('the system quality number', () => {
  it('is mean over deviation of the results, times the root of their number', () => {
    // Mean 2, deviation 2.
    expect(sqnOf([0, 2, 4])).toBeCloseTo(Math.sqrt(3), 4);
    expect(sqnOf([1])).toBeNull();
    expect(sqnOf([3, 3, 3])).toBeNull();
  });
});

describe('the list of drawdowns', () => {
  it('has each stretch below a high, the deepest first', () => {
    const day = (index: number): number => monday + index * dayMs;
    const points = curve(100, 95, 100, 110, 99, 104, 111, 105);
    expect(drawdownList(points, 10)).toEqual([
      { fromMs: day(3), lowestMs: day(4), recoveredMs: day(8), depth: 11, depthPct: 10 },
      { fromMs: day(8), lowestMs: day(9), recoveredMs: null, depth: 6, depthPct: 5.4054 },
      { fromMs: day(0), lowestMs: day(1), recoveredMs: day(2), depth: 5, depthPct: 5 },
    ]);
    expect(drawdownList(points, 1)).toHaveLength(1);
    expect(drawdownList(curve(1, 2, 2, 3), 10)).toEqual([]);
  });

  it('begins with the maximum drawdown, and its stretches do not overlap', () => {
    fc.assert(
      fc.property(equities, (values) => {
        const points = curve(...values);
        const list = drawdownList(points, values.length);
        expect(list[0]?.depthPct ?? 0).toBe(drawdowns(points).maxDrawdownPct);
        const byTime = [...list].sort((a, b) => a.fromMs - b.fromMs);
        byTime.forEach(({ fromMs, lowestMs }, index) => {
          expect(lowestMs).toBeGreaterThan(fromMs);
          expect(fromMs).toBeGreaterThanOrEqual(byTime[index - 1]?.recoveredMs ?? 0);
        });
      }),
    );
  });
});
