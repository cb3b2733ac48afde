import { lineAges } from './line-ages';

const nowMs = Date.UTC(2024, 0, 31);
const dayMs = 86_400_000;
const on = (day: number): string => new Date(Date.UTC(2024, 0, day)).toISOString();

describe('the ages of lines of the audit log', () => {
  it('go by the running time, whatever the wall clock was set to', () => {
    const lines = [
      { timestamp: on(30), running_ms: 9_000 },
      { timestamp: on(2), running_ms: 7_000 },
      { timestamp: on(28), running_ms: 4_000 },
    ];
    expect(lineAges(lines, nowMs)).toEqual([0, 2_000, 5_000]);
  });

  it('go on where an older file begins, whose running time is not continued', () => {
    const lines = [{ running_ms: 3_000 }, { running_ms: 1_000 }, { running_ms: 90_000 }, { running_ms: 85_000 }];
    expect(lineAges(lines, nowMs)).toEqual([0, 2_000, 2_000, 7_000]);
  });

  it('go by the wall clock on lines of an earlier version', () => {
    const lines = [{ timestamp: on(30), running_ms: 9_000 }, { timestamp: on(1) }, { timestamp: 'never' }];
    expect(lineAges(lines, nowMs)).toEqual([0, 30 * dayMs, Number.NaN]);
  });
});
