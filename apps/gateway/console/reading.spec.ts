import { ageOf, durationText, pauseAfter, standingOf } from './reading';

const read = { value: 1, readAtMs: 10_000, error: null };

describe('a reading', () => {
  it('is current up to its maximum age, and stale from then on', () => {
    expect(standingOf(read, 16_000, 6_000)).toBe('current');
    expect(standingOf(read, 16_001, 6_000)).toBe('stale');
  });

  it('is stale at once after a failed read, however young its value is', () => {
    expect(standingOf({ ...read, error: 'refused' }, 10_001, 6_000)).toBe('stale');
  });

  it('has no standing and no age before the first value', () => {
    const failed = { value: null, readAtMs: null, error: 'unreachable' };
    expect(standingOf(failed, 10_000, 6_000)).toBe('none');
    expect(ageOf(failed, 10_000)).toBeNull();
  });

  it('is followed by the next one after its pause, and soon if it failed', () => {
    const failed = { ...read, error: 'refused' };
    expect([pauseAfter(read, 30_000), pauseAfter(failed, 30_000), pauseAfter(failed, 2_000)]).toEqual([
      30_000, 5_000, 2_000,
    ]);
  });

  it('has an age counted from the moment at which it was requested', () => {
    expect(ageOf(read, 12_900)).toBe('2 s ago');
  });
});

describe('a duration in words', () => {
  it.each([
    [-5, '0 s'],
    [999, '0 s'],
    [119_999, '119 s'],
    [120_000, '2 min'],
    [7_200_000, '2 h'],
    [172_800_000, '2 d'],
  ])('%d ms: %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});
