import { openedMs } from './repeated-hour';

/** The server's clock is set from 4:00 to 3:00 at 1:00 UTC. */
const at = (hour: number, minute: number): number => Date.UTC(2026, 9, 25, hour, minute);
const minuteMs = 60_000;

describe('a bar of an hour that the server repeats', () => {
  it('opened in the second one if that has closed by then', () => {
    expect(openedMs(at(0, 12), minuteMs, at(1, 13))).toBe(at(1, 12));
    expect(openedMs(at(0, 12), minuteMs, at(1, 12))).toBe(at(0, 12));
  });

  it('opened when the gateway states it at any other time', () => {
    expect(openedMs(at(1, 12), minuteMs, at(3, 0))).toBe(at(1, 12));
    expect(openedMs(at(-1, 59), minuteMs, at(3, 0))).toBe(at(-1, 59));
  });
});
