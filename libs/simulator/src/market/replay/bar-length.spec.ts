import { Timeframe } from '@libs/terminal-client';
import { ServerClock } from '../../time/server-clock';
import { barLength, isMadeOf, timeframeName } from './bar-length';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const startMs = Date.UTC(2024, 0, 8);
const opens = (count: number, lengthMs: number): Float64Array =>
  Float64Array.from({ length: count }, (_, at) => startMs + at * lengthMs);
const nameOf = (file: string, times: Float64Array): string | null => {
  const length = barLength(file, times);
  return length && timeframeName(length);
};

describe('the length of the bars of a file', () => {
  it.each([
    ['M1', minuteMs],
    ['M5', 5 * minuteMs],
    ['H1', hourMs],
    ['H2', 2 * hourMs],
    ['H4', 4 * hourMs],
    ['D1', dayMs],
    ['W1', 7 * dayMs],
  ])('is the distance of their opens: %s', (name, lengthMs) => {
    expect(nameOf('eurusd-bid.csv', opens(50, lengthMs))).toBe(name);
  });

  it.each(['H1', 'H4', 'D1'])('is that of bars cut by a clock that changes, weekends left out: %s', (name) => {
    const clock = new ServerClock('America/New_York');
    const lengthMs = { H1: hourMs, H4: 4 * hourMs, D1: dayMs }[name] ?? 0;
    const local = Array.from({ length: (200 * dayMs) / lengthMs }, (_, at) => startMs + at * lengthMs);
    const times = local.filter((ms) => new Date(ms).getUTCDay() % 6 !== 0).map((ms) => clock.utcMs(ms));
    expect(nameOf('x.csv', Float64Array.from(times))).toBe(name);
  });

  it('is a month for bars that open on the first', () => {
    const firsts = Array.from({ length: 24 }, (_, month) => Date.UTC(2022, month, 1));
    expect(nameOf('x.csv', Float64Array.from(firsts))).toBe('MN1');
  });

  it.each([
    ['M1', [0, 5, 12, 40]],
    ['M1', [0, 9]],
    ['M5', [0, 10, 15, 35, 60]],
  ])('is the longest that all distances are whole multiples of, where bars are missing: %s', (name, minutes) => {
    expect(
      nameOf(
        'x.csv',
        Float64Array.from(minutes, (minute) => startMs + minute * minuteMs),
      ),
    ).toBe(name);
  });

  it('is stated by the name of a file with few bars', () => {
    const [one, two] = [opens(1, 0), opens(2, 5 * minuteMs)];
    expect([nameOf('eurusd-m1-bid.csv', two), nameOf('EURUSD_H4.csv', one), nameOf('eurusd.csv', one)]).toEqual([
      ...['M1', 'H4', null],
    ]);
  });

  it('is not what the name states if the rows contradict it', () => {
    expect(() => barLength('eurusd-h1-bid.csv', opens(3, 5 * minuteMs))).toThrow(
      'eurusd-h1-bid.csv: its name states bars of H1, but they are 5 minutes apart: rename it',
    );
    expect(() => barLength('eurusd-m1-bid.csv', opens(11, hourMs))).toThrow(
      'its name states bars of M1, but they are 1 hour apart',
    );
  });

  it.each([
    [90 * minuteMs, '90 minutes'],
    [3 * dayMs, '3 days'],
  ])('is refused if it is that of no timeframe', (lengthMs, text) => {
    expect(() => barLength('x.csv', opens(20, lengthMs))).toThrow(
      `x.csv: its bars are ${text} apart, which is the length`,
    );
  });

  it('decides which bars can be made of them', () => {
    const { M1, M5, M20, H1, H3, H4, D1, W1, MN1 } = Timeframe;
    expect([isMadeOf(H1, M5), isMadeOf(H4, H1), isMadeOf(W1, H4), isMadeOf(MN1, D1), isMadeOf(MN1, MN1)]).not.toContain(
      false,
    );
    expect([isMadeOf(M1, M5), isMadeOf(H4, H3), isMadeOf(MN1, W1), isMadeOf(D1, W1), isMadeOf(M5, M20)]).not.toContain(
      true,
    );
  });
});
