import { nextPriceMs, recordedFeed, type Feed } from './recorded-prices';

const startMs = Date.UTC(2026, 0, 7, 10);
const minuteMs = 60_000;

function timesOf(feed: Feed): number[] {
  const [recording] = feed.kind === 'replay' ? (feed.recordings ?? []) : [];
  return recording?.kind === 'bars' ? [...recording.bid.times] : [];
}

describe('recorded prices', () => {
  const feed = recordedFeed(1, startMs);
  const times = timesOf(feed);

  it('are the same for the same seed, and begin before the run', () => {
    expect(recordedFeed(1, startMs)).toEqual(feed);
    expect(recordedFeed(2, startMs)).not.toEqual(feed);
    expect(times[0]).toBeLessThan(startMs - 500 * minuteMs);
    expect(times.at(-1)).toBeGreaterThan(startMs + 500 * minuteMs);
  });

  it('lack single minutes and spans of minutes', () => {
    const gaps = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / minuteMs);
    expect(gaps.filter((gap) => gap === 2).length).toBeGreaterThan(5);
    expect(gaps.filter((gap) => gap > 2).length).toBeGreaterThan(2);
  });

  it('close a bar before a gap when the gap ends', () => {
    const index = times.findIndex((time, at) => (times[at + 1] ?? 0) - time > minuteMs);
    const endMs = (times[index] ?? 0) + minuteMs;
    expect(nextPriceMs(feed, 'EURUSD', endMs)).toBe(times[index + 1]);
    expect(nextPriceMs({ kind: 'scripted', quotes: {} }, 'EURUSD', endMs)).toBe(endMs);
  });
});
