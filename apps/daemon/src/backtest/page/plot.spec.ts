import * as fc from 'fast-check';
import { Plot, roundValues, shownRange } from './plot';

describe('the labels of a plot', () => {
  it.each([
    [9_700, 10_150, [9_700, 9_800, 9_900, 10_000, 10_100]],
    [-431, -79, [-400, -300, -200, -100]],
    [0.012, 0.019, [0.012, 0.014, 0.016, 0.018]],
  ])('are round values between %d and %d', (low, high, values) => {
    expect(roundValues(low, high)).toEqual(values);
  });

  it('are two to six, inside of the plot', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
        (low, span) => {
          const values = roundValues(low, low + span);
          expect(values.length).toBeGreaterThanOrEqual(2);
          expect(values.length).toBeLessThanOrEqual(6);
          for (const value of values) expect(value).toBeGreaterThanOrEqual(low - span / 100);
          for (const value of values) expect(value).toBeLessThanOrEqual(low + span + span / 100);
        },
      ),
    );
  });

  it('are what the picture shows', () => {
    const picture = Plot.over([9_721, 10_130], 1_000, 260, 0, 1).framed('', '', String, String);
    const labels = [...picture.matchAll(/<span class="value"[^>]*>([^<]*)/g)].map(([, text]) => text);
    expect(labels).toEqual(['9800', '9900', '10000', '10100']);
  });

  it('are as many on a phone as there is room for, and all of them where they are few', () => {
    const shown = (times: readonly number[], text: (time: number) => string) =>
      [...new Plot(1_000, 260, 0, times.length, 0, 1).framed('', '', String, text, times).matchAll(/class="time"/g)]
        .length;
    const many = Array.from({ length: 20 }, (_, index) => index);
    expect(shown(many, String)).toBe(10);
    expect(shown([0, 1], () => '2023-02-16')).toBe(2);
    expect(shown([0, 1, 2, 3, 4], () => '2023-02-16')).toBe(3);
  });
});

describe('the values that a chart shows', () => {
  it('have an edge at a value that is always shown, and a height where all values are the same', () => {
    expect(shownRange(-10, 0, 0)).toEqual([-10.6, 0]);
    expect(shownRange(9_000, 10_000, 10_000)).toEqual([8_940, 10_000]);
    expect(shownRange(0, 0, 0)).toEqual([-1, 0]);
    expect(shownRange(10_000, 10_000, 10_000)).toEqual([9_990, 10_010]);
    expect(shownRange(5, 5, undefined)).toEqual([4.995, 5.005]);
  });
});
