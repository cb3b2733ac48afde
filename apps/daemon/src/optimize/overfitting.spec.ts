import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { dailySharpe } from '../backtest/sharpe';
import { backtestOverfitting, type BacktestOverfitting } from './backtest-overfitting';
import type { Figures } from '../backtest/figures';
import {
  deflatedSharpe,
  expectedMaximum,
  normalCdf,
  normalQuantile,
  type DeflatedSharpe,
  overfittingOf,
  overfittingRows,
} from './overfitting';
import type { SearchRow } from './search';

/** Made by luck.py beside it, which a test of the built programs runs again. */
const reference = JSON.parse(
  readFileSync(join(__dirname, '../../../../test/e2e/daemon/independent-model/luck.json'), 'utf8'),
) as {
  readonly cdf: readonly (readonly [number, number])[];
  readonly quantile: readonly (readonly [number, number])[];
  readonly deflatedSharpe: readonly {
    readonly changes: readonly number[];
    readonly trials: readonly number[];
    readonly expected: Readonly<Record<keyof DeflatedSharpe, number>>;
  }[];
  readonly overfitting: readonly {
    readonly sets: readonly (readonly number[])[];
    readonly expected: BacktestOverfitting;
  }[];
};
const change = fc.integer({ min: -500, max: 500 }).map((points) => points / 10_000);
const sharpes = fc.array(fc.double({ min: -0.5, max: 0.5, noNaN: true }), { minLength: 2, maxLength: 50 });
const days = (count: number) => fc.array(change, { minLength: count, maxLength: count });
const matrix = fc
  .tuple(fc.integer({ min: 16, max: 22 }), fc.integer({ min: 2, max: 5 }))
  .chain(([length, count]) => fc.array(days(length), { minLength: count, maxLength: count }));

describe('the normal distribution', () => {
  it('has the values of another implementation', () => {
    for (const [place, share] of reference.cdf) expect(normalCdf(place)).toBeCloseTo(share, 14);
    for (const [share, place] of reference.quantile) expect(normalQuantile(share)).toBeCloseTo(place, 7);
  });

  it('is undone by its quantile', () => {
    fc.assert(
      fc.property(fc.double({ min: -5, max: 5, noNaN: true }), (place) => {
        expect(normalQuantile(normalCdf(place))).toBeCloseTo(place, 7);
      }),
    );
  });
});

describe('the deflated Sharpe ratio', () => {
  it('has the values of another implementation', () => {
    for (const { changes, trials, expected } of reference.deflatedSharpe) {
      const found = deflatedSharpe(changes, trials);
      for (const [name, value] of Object.entries(expected)) {
        expect(Object.entries(found ?? {}).find(([own]) => own === name)?.[1]).toBeCloseTo(value, 10);
      }
    }
  });

  it('expects of the best of 100 trials what the example of the paper expects', () => {
    // Page 8 of the paper: 100 trials with a variance of 1/2 a year of 250 days have a maximum of 0.1132 a day.
    const deviation = Math.sqrt(1 / 2 / 250);
    const trials = Array.from(
      { length: 100 },
      (_, index) => (index % 2 === 0 ? 1 : -1) * deviation * Math.sqrt(99 / 100),
    );
    expect(expectedMaximum(trials)).toBeCloseTo(0.1132, 4);
  });

  it('is a share, and is lower the more the trials differ', () => {
    fc.assert(
      fc.property(days(30), sharpes, fc.double({ min: 1, max: 5, noNaN: true }), (changes, trials, factor) => {
        const [one, wider] = [trials, trials.map((trial) => trial * factor)].map((all) => deflatedSharpe(changes, all));
        if (one?.probability == null || wider?.probability == null) return;
        expect(one.probability).toBeGreaterThanOrEqual(0);
        expect(one.probability).toBeLessThanOrEqual(1);
        expect(wider.probability).toBeLessThanOrEqual(one.probability + 1e-12);
      }),
    );
  });

  it('does not depend on the size of the stake', () => {
    fc.assert(
      fc.property(days(20), sharpes, (changes, trials) => {
        const double = changes.map((value) => value * 2);
        const [one, other] = [changes, double].map((all) => deflatedSharpe(all, trials)?.probability ?? -1);
        expect(other).toBeCloseTo(one ?? 0, 8);
      }),
    );
  });

  it('is not stated where it is not defined', () => {
    expect(deflatedSharpe([0.01, -0.01, 0.02, 0], [0.1, 0.2])).toBeNull();
    expect(deflatedSharpe([0, 0, 0, 0, 0], [0.1, 0.2])).toBeNull();
    expect(deflatedSharpe([0.01, -0.01, 0.02, 0, 0.01], [0.1])).toBeNull();
    // Two values alone, with the Sharpe ratio of 2 / skewness: the error of the estimate would be 0.
    const low = (4 / 3) * 2 * Math.sqrt(5 / 4) - 1;
    const found = deflatedSharpe([low + 5, low, low, low, low], [0.1, 0.2]);
    expect(found).toMatchObject({
      probability: null,
      skewness: expect.closeTo(1.5, 10),
      sharpe: expect.closeTo(4 / 3, 10),
    });
  });
});

describe('the probability of backtest overfitting', () => {
  it('has the values of another implementation', () => {
    for (const { sets, expected } of reference.overfitting) expect(backtestOverfitting(sets)).toEqual(expected);
  });

  it('is 0 for a set that is the best on every day', () => {
    fc.assert(
      fc.property(days(16), (changes) => {
        const best = changes.map((value) => Math.abs(value) + 0.001 + value / 1_000);
        const worse = changes.map((value) => -Math.abs(value) - 0.001 + value / 1_000);
        expect(backtestOverfitting([worse, best, worse])?.probability).toBe(0);
      }),
    );
  });

  it('is a share of the splits, and does not depend on the order of the sets or the size of the stake', () => {
    fc.assert(
      fc.property(matrix, (sets) => {
        const found = backtestOverfitting(sets);
        expect(Number.isInteger(Math.round((found?.probability ?? NaN) * (found?.splits ?? NaN) * 1e6) / 1e6)).toBe(
          true,
        );
        expect(backtestOverfitting(sets.map((own) => own.map((value) => value * 2)))).toEqual(found);
      }),
    );
  });

  it('is some half for sets that differ by luck alone', () => {
    const source = fc.sample(fc.array(days(20), { minLength: 10, maxLength: 10 }), { numRuns: 40, seed: 3 });
    const found = source.map((sets) => backtestOverfitting(sets)?.probability ?? NaN);
    const mean = found.reduce((sum, value) => sum + value, 0) / found.length;
    expect(mean).toBeGreaterThan(0.35);
    expect(mean).toBeLessThan(0.7);
  });

  it('has fewer parts for many sets, and none for few days or a single set', () => {
    const changes = Array.from({ length: 64 }, (_, day) => Math.sin(day) / 100);
    expect(backtestOverfitting([changes, changes])).toMatchObject({ parts: 16, splits: 12_870, days: 64 });
    expect(backtestOverfitting([changes.slice(0, 21), changes.slice(0, 21)])).toMatchObject({ parts: 10, days: 20 });
    expect(backtestOverfitting([changes])).toBeNull();
    expect(backtestOverfitting([changes.slice(0, 15), changes.slice(0, 15)])).toBeNull();
  });
});

describe('the figures against luck of a search', () => {
  const rowOf = (set: number, changes: readonly number[] | null, from = 0): SearchRow => ({
    ...{ set, params: {}, window: null, error: null },
    result: {
      ...{ startMs: 0, endMs: 1, haltReason: null, curve: null },
      figures: { trades: 4, open: 0 } as Figures,
      days: changes && changes.map((value, day) => [from + day, value] as const),
    },
  });
  const wave = (count: number, phase: number) =>
    Array.from({ length: count }, (_, day) => 0.001 + Math.sin(day * 1.7 + phase) / 100);
  const textsOf = (rows: readonly SearchRow[], best: SearchRow | null = rows[0] ?? null) =>
    overfittingRows(overfittingOf(rows, best, false)).map((cells) => cells.join('; '));

  it('are annual, and say what they are made of in a sentence', () => {
    const rows = [1, 2, 3].map((set) => rowOf(set, wave(30, set)));
    const { deflatedSharpe: deflated, backtestOverfitting: overfit } = overfittingOf(rows, rows[1] ?? null, false);
    const daily = deflatedSharpe(
      wave(30, 2),
      [1, 2, 3].map((set) => dailySharpe(wave(30, set)) ?? NaN),
    );
    expect(deflated).toMatchObject({
      ...{ undefinedBecause: null, set: 2, sets: 3, days: 30 },
      probability: expect.closeTo(daily?.probability ?? NaN, 4),
      sharpe: expect.closeTo((daily?.sharpe ?? NaN) * Math.sqrt(252), 3),
    });
    expect(overfit).toMatchObject({ undefinedBecause: null, sets: 3, days: 28, parts: 14 });
    expect(textsOf(rows)).toEqual([
      expect.stringMatching(
        /^deflated Sharpe ratio; \d+\.\d %; the confidence that the true Sharpe ratio of set 1 is above \d/,
      ),
      expect.stringMatching(/^probability of overfitting; \d+\.\d %; of 3432 ways to split 28 days into halves, /),
    ]);
  });

  it('compare the days that all sets have', () => {
    const rows = [rowOf(1, wave(40, 1)), rowOf(2, wave(30, 2), 5)];
    expect(overfittingOf(rows, rows[0] ?? null, false)).toMatchObject({
      deflatedSharpe: { days: 40 },
      backtestOverfitting: { days: 28 },
    });
    expect(textsOf([rowOf(1, wave(20, 1)), rowOf(2, wave(20, 2), 6)])[1]).toBe(
      'probability of overfitting; –; not defined: the sets have 14 days in common, and 16 are needed',
    );
  });

  it('leave out sets that never traded or lost everything, and state why there is no value', () => {
    const flat = rowOf(
      7,
      wave(30, 0).map(() => 0),
    );
    const ruined = rowOf(8, [...wave(29, 0), -1]);
    const failed: SearchRow = { set: 9, params: {}, window: null, result: null, error: 'no luck' };
    const good = rowOf(1, wave(30, 1));
    const other = rowOf(2, wave(30, 2));
    expect(overfittingOf([good, other, flat, ruined, failed], good, false)).toEqual(
      overfittingOf([good, other], good, false),
    );
    const reasonsOf = (rows: readonly SearchRow[], best?: SearchRow | null) =>
      textsOf(rows, best).map((text) => text.split('not defined: ')[1]);
    expect(reasonsOf([good, flat])).toEqual(Array(2).fill('fewer than two sets have a Sharpe ratio'));
    expect(reasonsOf([flat, good, other])[0]).toBe('the best set has no Sharpe ratio');
    expect(reasonsOf([good, other], null)[0]).toBe('no set has a value of the metric');
    expect(reasonsOf([failed])).toEqual(Array(2).fill('no set has a result'));
    expect(reasonsOf([good, rowOf(3, null)])[0]).toMatch(/^the results file has sets without daily changes/);
    expect(overfittingOf([good, other], good, true).deflatedSharpe.undefinedBecause).toMatch(/^a walk-forward/);
    expect(JSON.stringify(overfittingOf([], null, false))).not.toContain('NaN');
  });
});
