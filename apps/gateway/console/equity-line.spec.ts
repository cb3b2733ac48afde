import { equityLine, longBalanceLine } from './equity-line';

const minuteMs = 60_000;
const reading = (minute: number, equity: number, balance = 100) => {
  return { at: new Date(minute * minuteMs).toISOString(), equity, balance };
};

describe('the line of the equity', () => {
  it('continues what was recorded with what this page has read, without a place that has two values', () => {
    const line = equityLine([reading(1, 90), reading(2, 91)], minuteMs, [
      [1.5 * minuteMs, 80],
      [2.5 * minuteMs, 92],
    ]);
    expect(line).toEqual([
      [minuteMs, 90],
      [2 * minuteMs, 91],
      [2.5 * minuteMs, 92],
    ]);
  });

  it('has a gap where nothing was recorded, and before this page read', () => {
    expect(equityLine([reading(1, 90), reading(5, 91)], minuteMs, [[9 * minuteMs, 92]])).toEqual([
      [minuteMs, 90],
      [minuteMs + 1, null],
      [5 * minuteMs, 91],
      [5 * minuteMs + 1, null],
      [9 * minuteMs, 92],
    ]);
  });

  it('is what this page has read where nothing was recorded', () => {
    expect(equityLine([], minuteMs, [[minuteMs, 92]])).toEqual([[minuteMs, 92]]);
  });
});

describe('the line of the balance', () => {
  it('is as recorded before the deals that were read', () => {
    const recorded = [reading(1, 90, 50), reading(2, 90, 60), reading(3, 90, 70)];
    expect(longBalanceLine(recorded, [[2.5 * minuteMs, 65]])).toEqual([
      [minuteMs, 50],
      [2 * minuteMs, 60],
      [2.5 * minuteMs, 65],
    ]);
    expect(longBalanceLine(recorded, [])).toHaveLength(3);
  });
});
