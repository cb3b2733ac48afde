import * as fc from 'fast-check';
import { TradingTime } from './trading-time';

const hour = 3_600;
const day = 24 * hour;
/** Hours from Monday 2024-01-08 00:00 to the Friday evening of the week after, without the weekend. */
const startSeconds = Date.UTC(2024, 0, 8) / 1_000;
const hours = Array.from({ length: 12 * 24 }, (_, index) => index * hour).filter(
  (time) => time < 5 * day || time >= 7 * day,
);
const trading = TradingTime.of(hours, startSeconds);

describe('the time of trading', () => {
  it('has no weekend', () => {
    expect(trading.placeOf(5 * day - hour)).toBe(5 * day - hour);
    expect(trading.placeOf(6 * day)).toBe(5 * day);
    expect(trading.placeOf(7 * day)).toBe(5 * day);
    expect(trading.placeOf(8 * day)).toBe(6 * day);
    expect(trading.timeAt(6 * day)).toBe(8 * day);
  });

  it('has the whole of what has no gaps, of a weekend with prices, and of no points', () => {
    const always = TradingTime.of(
      Array.from({ length: 1_000 }, (_, index) => index * hour),
      startSeconds,
    );
    for (const each of [always, TradingTime.of([], startSeconds)]) expect(each.placeOf(39.5 * day)).toBe(39.5 * day);
  });

  it('has the days on which nothing was open, and so no equity, without their weekends', () => {
    // From Tuesday 12:00 to the Thursday of the week after the next one.
    const idle = TradingTime.of(
      [...hours.slice(0, 36), ...hours.slice(0, 9).map((time) => time + 17 * day)],
      startSeconds,
    );
    expect(idle.placeOf(4 * day)).toBe(4 * day);
    expect(17 * day - idle.placeOf(17 * day)).toBe(2 * 53 * hour);
  });

  it('has a place of its own for each time outside of gaps', () => {
    fc.assert(
      fc.property(fc.constantFrom(...hours), (time) => {
        expect(trading.timeAt(trading.placeOf(time))).toBe(time);
      }),
    );
  });

  it('has labels of days where days begin, and one for a weekend', () => {
    const ticks = trading.ticks(0, trading.placeOf(12 * day), 12, startSeconds);
    expect(ticks.map(([, text]) => text)).toEqual([
      '8 Jan',
      '9 Jan',
      '10 Jan',
      '11 Jan',
      '12 Jan',
      '15 Jan',
      '16 Jan',
      '17 Jan',
      '18 Jan',
      '19 Jan',
      '20 Jan',
    ]);
    expect(ticks[5]?.[0]).toBe(5 * day);
  });

  it('has labels of every second day where there is no room for each', () => {
    const weeks = TradingTime.of([...hours, ...hours.map((time) => time + 14 * day)], startSeconds);
    const texts = weeks.ticks(0, weeks.placeOf(26 * day), 13, startSeconds).map(([, text]) => text);
    expect(texts.length).toBeGreaterThan(4);
    // Times of day, of every second day, would say less.
    expect(texts.filter((text) => text.includes(':'))).toEqual([]);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('has labels of hours and of months, and never more than there is room for', () => {
    expect(trading.ticks(0, day, 5, startSeconds).map(([, text]) => text)).toEqual(['8 Jan', '12:00', '9 Jan']);
    const years = TradingTime.of(
      Array.from({ length: 900 }, (_, index) => index * day),
      startSeconds,
    );
    expect(years.ticks(0, 899 * day, 6, startSeconds).map(([, text]) => text)).toEqual([
      'Jul 2024',
      '2025',
      'Jul 2025',
      '2026',
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 600, max: 899 * day }), fc.integer({ min: 2, max: 15 }), (to, most) => {
        expect(years.ticks(0, to, most, startSeconds).length).toBeLessThanOrEqual(most);
      }),
    );
  });
});
