import fc from 'fast-check';
import { type OffsetState, takeReading } from './derived-offset';
import { offsetOf, QuoteWatch } from './offset-reading';

const nowMs = Date.UTC(2024, 2, 1, 10);
const nothing: OffsetState = { current: null, pending: null };

function take(state: OffsetState, offsetSeconds: number, confirmations = 2) {
  return takeReading(state, { offsetSeconds, symbol: 'EURUSD', atMs: nowMs, server: 'Demo' }, confirmations);
}

describe('the offset from a moved quote', () => {
  it.each([
    [7_200, 7_200],
    [7_200 - 89, 7_200],
    [19_800 + 60, 19_800],
    [20_700, 20_700],
    [-18_000, -18_000],
    [0.4, 0],
    [-0.4, 0],
    [50_400, 50_400],
    [-43_200, -43_200],
  ])('is, for a difference of %d s, %d s', (delta, offset) => {
    expect(offsetOf({ time_msc: nowMs + delta * 1_000 }, nowMs)).toBe(offset);
  });

  it.each([[7_200 - 91], [7_200 + 300], [51_300], [-44_100], [86_400]])(
    'is null for a difference of %d s: an old quote, or an impossible zone',
    (delta) => {
      expect(offsetOf({ time_msc: nowMs + delta * 1_000 }, nowMs)).toBeNull();
    },
  );
});

describe('watching quotes', () => {
  const tick = (timeMsc: number) => ({
    ...{ time: Math.floor(timeMsc / 1_000), bid: 1, ask: 1, last: 0, volume: 0, time_msc: timeMsc, flags: 6 },
    volume_real: 0,
  });

  it('takes the first read as a baseline, even if it seems fresh', () => {
    const watch = new QuoteWatch();
    expect(watch.read(['EURUSD'], [tick(nowMs + 7_200_000)], nowMs)).toBeNull();
    expect(watch.read(['EURUSD'], [tick(nowMs + 7_200_500)], nowMs + 500)).toEqual({
      offsetSeconds: 7_200,
      symbol: 'EURUSD',
    });
  });

  it('never uses a frozen quote, not even one that is exactly an hour old', () => {
    const watch = new QuoteWatch();
    const frozen = tick(nowMs + 3_600_000);
    for (let read = 0; read < 10; read++) expect(watch.read(['EURUSD'], [frozen], nowMs + read * 500)).toBeNull();
  });

  it('uses the freshest of the moved quotes', () => {
    const watch = new QuoteWatch();
    const symbols = ['DELAYED', 'EURUSD', 'CLOSED'];
    watch.read(symbols, [tick(nowMs + 6_300_000), tick(nowMs + 7_200_000), tick(nowMs)], nowMs);
    const moved = [tick(nowMs + 6_300_400), tick(nowMs + 7_200_300), tick(nowMs)];
    expect(watch.read(symbols, moved, nowMs + 500)).toEqual({ offsetSeconds: 7_200, symbol: 'EURUSD' });
  });

  it('skips symbols without a quote', () => {
    const watch = new QuoteWatch();
    watch.read(['NEW', 'EURUSD'], [null, tick(nowMs)], nowMs);
    expect(watch.read(['NEW', 'EURUSD'], [tick(nowMs + 1_000), null], nowMs + 1_000)).toBeNull();
  });
});

describe('a reading', () => {
  it('adopts the first value at once', () => {
    expect(take(nothing, 7_200)).toMatchObject({ effect: 'adopted', state: { current: { offsetSeconds: 7_200 } } });
  });

  it('replaces it only after two identical readings in a row', () => {
    const adopted = take(nothing, 7_200).state;
    const first = take(adopted, 10_800);
    expect(first).toMatchObject({ effect: 'disagreed', state: { current: { offsetSeconds: 7_200 } } });
    expect(take(first.state, 10_800)).toMatchObject({
      effect: 'switched',
      state: { current: { offsetSeconds: 10_800 }, pending: null },
    });
  });

  it('restarts the count at a third value', () => {
    const first = take(take(nothing, 7_200).state, 10_800).state;
    const third = take(first, 3_600);
    expect(third.effect).toBe('disagreed');
    expect(take(third.state, 10_800).effect).toBe('disagreed');
  });

  it('drops a disagreement once a reading agrees again', () => {
    const first = take(take(nothing, 7_200).state, 10_800).state;
    const agreed = take(first, 7_200);
    expect(agreed).toMatchObject({ effect: 'agreed', state: { pending: null } });
    expect(take(agreed.state, 10_800).effect).toBe('disagreed');
  });

  it('switches exactly when the required number of last readings all have the same other value', () => {
    const offsets = fc.constantFrom(3_600, 7_200, 10_800);
    fc.assert(
      fc.property(fc.array(offsets, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (seen, n) => {
        let state = nothing;
        let expected: number | null = null;
        let run = 0;
        for (const [index, offset] of seen.entries()) {
          ({ state } = take(state, offset, n));
          run = offset === expected ? 0 : index > 0 && seen[index - 1] === offset ? run + 1 : 1;
          if (expected === null || run >= n) {
            expected = offset;
            run = 0;
          }
          expect(state.current?.offsetSeconds).toBe(expected);
        }
      }),
    );
  });
});
