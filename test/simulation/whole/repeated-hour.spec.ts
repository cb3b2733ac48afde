import { barClosedMs } from './repeated-hour';

/** The server's clock is set from 4:00 to 3:00 at 1:00 UTC. */
const at = (hour: number, minute: number): number => Date.UTC(2026, 9, 25, hour, minute);
const minuteMs = 60_000;
/** A market with a price in every minute. */
const always = (fromMs: number): number => fromMs;

describe('a bar of an hour that the server repeats', () => {
  it('closed in the first pass if there were prices after it', () => {
    expect(barClosedMs(at(0, 12), minuteMs, always)).toBe(at(0, 13));
    expect(barClosedMs(at(0, 58), minuteMs, always)).toBe(at(0, 59));
  });

  it('closed at the end of the second pass if it was the last one of the first', () => {
    expect(barClosedMs(at(0, 59), minuteMs, always)).toBe(at(2, 0));
    expect(barClosedMs(at(0, 0), 60 * minuteMs, always)).toBe(at(2, 0));
  });

  it('closed in the second pass, at its end, if the first had no price after it', () => {
    const prices = [at(0, 20), at(1, 10), at(1, 20), at(1, 30)];
    const next = (fromMs: number): number => prices.find((priceMs) => priceMs >= fromMs) ?? NaN;
    expect(barClosedMs(at(0, 20), minuteMs, next)).toBe(at(1, 30));
  });

  it('closed with the first price after it at any other time', () => {
    expect(barClosedMs(at(-1, 59), minuteMs, always)).toBe(at(0, 0));
    expect(barClosedMs(at(3, 0), minuteMs, (fromMs) => fromMs + 500)).toBe(at(3, 1) + 500);
  });
});
