import { ServerClock } from './server-clock';

const athens = new ServerClock('Europe/Athens');

describe("the broker server's clock", () => {
  it('is ahead of UTC by its zone, daylight saving included', () => {
    expect(athens.offsetMs(Date.UTC(2024, 0, 15))).toBe(2 * 3_600_000);
    expect(athens.offsetMs(Date.UTC(2024, 6, 15))).toBe(3 * 3_600_000);
    expect(athens.offsetMs(Date.UTC(2024, 2, 31, 0, 59, 59))).toBe(2 * 3_600_000);
    expect(athens.offsetMs(Date.UTC(2024, 2, 31, 1))).toBe(3 * 3_600_000);
  });

  it('converts between server time and instants; a time in a repeated hour is the first occurrence', () => {
    for (const instant of [Date.UTC(2024, 0, 1), Date.UTC(2024, 6, 1, 12, 30), Date.UTC(2024, 9, 27, 0, 30)]) {
      expect(athens.utcMs(athens.serverMs(instant))).toBe(instant);
    }
    // 03:30 comes twice on 27 October 2024.
    expect(athens.utcMs(Date.UTC(2024, 9, 27, 3, 30))).toBe(Date.UTC(2024, 9, 27, 0, 30));
  });

  it('has shown a time before in the second pass of a repeated hour, and at no other time', () => {
    const shown = (utcMs: number): boolean => athens.hasShown(utcMs);
    expect([Date.UTC(2024, 9, 27, 1), Date.UTC(2024, 9, 27, 1, 59, 59)].map(shown)).toEqual([true, true]);
    expect([Date.UTC(2024, 9, 27, 0, 59, 59), Date.UTC(2024, 9, 27, 2)].map(shown)).toEqual([false, false]);
    expect([Date.UTC(2024, 2, 31, 1), Date.UTC(2024, 2, 31, 2)].map(shown)).toEqual([false, false]);
    const days = [Date.UTC(2024, 9, 26), Date.UTC(2024, 9, 27), Date.UTC(2024, 9, 28), Date.UTC(2024, 2, 31)];
    expect(days.map((ms) => athens.repeatsTimeOn(ms / 86_400_000))).toEqual([false, true, false, false]);
  });

  it('has its next midnight, also over a change of the clocks', () => {
    expect(athens.nextMidnightUtcMs(Date.UTC(2024, 4, 14, 20, 59))).toBe(Date.UTC(2024, 4, 14, 21));
    expect(athens.nextMidnightUtcMs(Date.UTC(2024, 4, 14, 21))).toBe(Date.UTC(2024, 4, 15, 21));
    expect(athens.nextMidnightUtcMs(Date.UTC(2024, 2, 30, 22))).toBe(Date.UTC(2024, 2, 31, 21));
  });

  it('can be set off from an instant on', () => {
    const clock = new ServerClock('UTC');
    clock.shiftFrom(1_000_000, 3_600);
    expect(clock.serverMs(999_999)).toBe(999_999);
    expect(clock.serverMs(1_000_000)).toBe(4_600_000);
    clock.shiftFrom(0, 0);
    expect(clock.serverMs(1_000_000)).toBe(1_000_000);
  });

  it('refuses a zone there is not', () => {
    expect(() => new ServerClock('Mars/Olympus')).toThrow(RangeError);
  });
});

describe('the clock of New York plus seven hours', () => {
  const clock = new ServerClock('America/New_York+7');

  it('shows midnight when New York closes at 17:00, also in the weeks when Athens does not', () => {
    for (const utc of ['2026-01-09T22:00Z', '2026-03-10T21:00Z', '2026-07-09T21:00Z', '2026-10-28T21:00Z']) {
      expect(clock.serverMs(Date.parse(utc)) % 86_400_000).toBe(0);
      expect(clock.utcMs(clock.serverMs(Date.parse(utc)))).toBe(Date.parse(utc));
    }
  });
});
