import { dailyChanges } from './daily-changes';
import type { EquityPoint } from './equity-curve';
import { rollingSharpe, sharpeOfChanges } from './sharpe';

const dayMs = 86_400_000;
/** Monday, 2024-01-08. */
const startMs = Date.UTC(2024, 0, 8);
/** The close of so many days from Monday to Friday. */
const curve = (days: number, equityOf: (day: number) => number): readonly EquityPoint[] =>
  Array.from({ length: days }, (_, day) => [startMs + (day + 2 * Math.floor(day / 5)) * dayMs, equityOf(day)] as const);
const waves = (day: number): number => 10_000 + 20 * day + 300 * Math.sin(day / 3);

describe('the Sharpe ratio over time', () => {
  it('is that of the last half year or month, at the end of each day', () => {
    const year = curve(260, waves);
    const { days = 0, points = [] } = rollingSharpe(year) ?? {};
    expect(days).toBe(126);
    expect(points).toHaveLength(135);
    expect(points.at(-1)).toEqual([(year.at(-1)?.[0] ?? 0) + dayMs, sharpeOfChanges(dailyChanges(year).slice(-126))]);
    expect(rollingSharpe(curve(70, waves))?.days).toBe(21);
  });

  it('is not made of a few days', () => {
    expect(rollingSharpe(curve(62, waves))).toBeNull();
    expect(rollingSharpe([])).toBeNull();
  });

  it('is not a zero where nothing changed', () => {
    expect(rollingSharpe(curve(70, () => 10_000))?.points.every(([, sharpe]) => sharpe === null)).toBe(true);
  });
});
