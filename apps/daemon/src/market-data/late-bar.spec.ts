import { latenessOf } from './closed-bar';
import { MarketTime } from './symbol-watch';

const minuteMs = 60_000;

/** The market's time by its quotes, before and after an outage. */
function afterOutage(speed: number, awayMs: number): MarketTime {
  const market = new MarketTime();
  for (let ms = 0; ms <= 20_000; ms += 500) market.note(ms * speed, ms);
  market.note((20_000 + awayMs) * speed, 20_000 + awayMs);
  return market;
}

describe('a bar after an outage', () => {
  it('is stale when it is older than one bar, and late as long as it closed before', () => {
    const market = afterOutage(1, 7 * minuteMs);
    const nowMs = 20_000 + 7 * minuteMs;
    const lateness = [3, 2, 1, 0.9, 0.1].map((minutes) => {
      const age = market.ageOf(nowMs - minutes * minuteMs, nowMs);
      return age && latenessOf(age, age, minuteMs);
    });
    expect(lateness).toEqual([
      { lateMs: 3 * minuteMs, isStale: true },
      { lateMs: 2 * minuteMs, isStale: true },
      { lateMs: minuteMs, isStale: false },
      { lateMs: 0.9 * minuteMs, isStale: false },
      { lateMs: 0, isStale: false },
    ]);
  });

  it('is stale by the time of the market, however fast that runs', () => {
    const market = afterOutage(30, minuteMs);
    const nowMs = 20_000 + minuteMs;
    const lateness = [29, 2, 1].map((minutes) => {
      const age = market.ageOf(nowMs * 30 - minutes * minuteMs, nowMs);
      return age && latenessOf(age, age, minuteMs);
    });
    expect(lateness).toEqual([
      { lateMs: 29 * minuteMs, isStale: true },
      { lateMs: 2 * minuteMs, isStale: true },
      { lateMs: 0, isStale: false },
    ]);
  });

  it('of a longer timeframe is late, and may be entered on', () => {
    const market = afterOutage(1, 7 * minuteMs);
    const age = market.ageOf(20_000 + minuteMs, 20_000 + 7 * minuteMs);
    expect(age && latenessOf(age, age, 60 * minuteMs)).toEqual({ lateMs: 6 * minuteMs, isStale: false });
  });

  it('is stale in a fast replay as well, when it closed more than ten seconds ago', () => {
    const market = afterOutage(3_600, 30_000);
    const nowMs = 50_000;
    const stale = [15_000, 5_000].map((realMs) => {
      const age = market.ageOf((nowMs - realMs) * 3_600, nowMs);
      return age && latenessOf(age, age, minuteMs).isStale;
    });
    expect(stale).toEqual([true, false]);
  });
});

describe('a bar of an hour that the broker’s clock repeats', () => {
  /** The clock is set back by an hour after so many minutes of it, and the market is away from then on until it comes again. */
  const afterSetBack = (setBackMs: number, againMs: number): { market: MarketTime; nowMs: number } => {
    const market = new MarketTime();
    for (let ms = 0; ms <= setBackMs - 10 * minuteMs; ms += 500) market.note(ms, ms);
    const nowMs = setBackMs + againMs;
    market.note(nowMs - 60 * minuteMs, nowMs);
    return { market, nowMs };
  };

  it('is as old as it is when it closed before the clock was set back', () => {
    const { market, nowMs } = afterSetBack(60 * minuteMs, 5 * minuteMs);
    const lateness = [51, 59].map((closedAtMinute) => {
      const age = market.ageOf(closedAtMinute * minuteMs, nowMs);
      return age && latenessOf(age, age, minuteMs);
    });
    expect(lateness).toEqual([
      { lateMs: 14 * minuteMs, isStale: true },
      { lateMs: 6 * minuteMs, isStale: true },
    ]);
  });

  it('is on time when it closes after it', () => {
    const { market, nowMs } = afterSetBack(60 * minuteMs, 60 * minuteMs);
    const age = market.ageOf(60 * minuteMs, nowMs);
    expect(age && latenessOf(age, age, minuteMs)).toEqual({ lateMs: 0, isStale: false });
  });

  it('is on time when the quotes lag behind it a little, or by more than the clock can be set back', () => {
    const market = new MarketTime();
    market.note(0, 0);
    for (const closedMs of [9_000, 49 * 60 * minuteMs]) {
      const age = market.ageOf(closedMs, 1_000);
      expect(age && latenessOf(age, age, minuteMs)).toEqual({ lateMs: 0, isStale: false });
    }
  });
});

describe('a bar that waited in the daemon', () => {
  it('is stale like any other if the market runs at the pace of the clock', () => {
    const market = afterOutage(1, 7 * minuteMs);
    const nowMs = 20_000 + 7 * minuteMs;
    const age = market.ageOf(nowMs - 2 * minuteMs, nowMs);
    expect(age && latenessOf(age, { marketMs: 0, realMs: 0, speed: 1 }, minuteMs).isStale).toBe(true);
  });
});

describe('a bar that is on time', () => {
  it('includes one that a fast replay delivers many bars late', () => {
    const market = new MarketTime();
    for (let ms = 0; ms <= 20_000; ms += 50) market.note(ms * 50_000, ms);
    const age = market.ageOf(18_000 * 50_000, 20_000);
    expect(age && latenessOf(age, age, minuteMs)).toEqual({ lateMs: 0, isStale: false });
  });

  it('includes one that waited long in the daemon, if a replay is faster than the daemon', () => {
    const market = new MarketTime();
    for (let ms = 0; ms <= 40_000; ms += 50) market.note(ms * 3_600, ms);
    const age = market.ageOf(10_000 * 3_600, 40_000);
    expect(age && latenessOf(age, { marketMs: 3_600_000, realMs: 1_000, speed: 3_600 }, minuteMs).isStale).toBe(false);
    expect(age && latenessOf(age, age, minuteMs).isStale).toBe(true);
  });

  it('includes one that still waits in the daemon when a fast replay has ended', () => {
    const market = new MarketTime();
    for (let ms = 0; ms <= 40_000; ms += 50) market.note(ms * 3_600, ms);
    const age = market.ageOf(39_000 * 3_600, 70_000);
    expect(age).toMatchObject({ marketMs: 3_600_000, realMs: 31_000 });
    expect(age && latenessOf(age, { marketMs: 0, realMs: 0, speed: 1 }, minuteMs).isStale).toBe(false);
  });

  it('includes the last one before a weekend, which closes with the first quote after it', () => {
    const market = new MarketTime();
    market.note(0, 0);
    market.note(49 * 60 * minuteMs, 49 * 60 * minuteMs);
    const age = market.ageOf(49 * 60 * minuteMs, 49 * 60 * minuteMs + 200);
    expect(age && latenessOf(age, age, minuteMs)).toEqual({ lateMs: 0, isStale: false });
  });

  it('stays on time when the broker’s clock is set back', () => {
    const market = new MarketTime();
    market.note(60 * minuteMs, 0);
    market.note(1_000, 20_000);
    expect(market.ageOf(500, 20_000)).toMatchObject({ marketMs: 500, realMs: 0 });
  });
});
