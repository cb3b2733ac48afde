import { instantForms, instantProblem, parseInstant } from './utc-instant';

describe('an instant in a query', () => {
  it.each([
    ['2026-01-05T10:00:00Z', '2026-01-05T10:00:00.000Z'],
    ['2026-01-05T10:00:00', '2026-01-05T10:00:00.000Z'],
    ['2026-01-05 10:00', '2026-01-05T10:00:00.000Z'],
    ['2026-01-05', '2026-01-05T00:00:00.000Z'],
    ['2026-01-05T10:00:00.250Z', '2026-01-05T10:00:00.250Z'],
    ['2026-01-05T10:00:00+02:00', '2026-01-05T08:00:00.000Z'],
    ['2026-01-05T10:00:00-0530', '2026-01-05T15:30:00.000Z'],
    ['2026-01-05T10:00:00 02:00', '2026-01-05T08:00:00.000Z'],
    ['2026-01-05t10:00:00z', '2026-01-05T10:00:00.000Z'],
    ['1767607200', '2026-01-05T10:00:00.000Z'],
    [1767607200, '2026-01-05T10:00:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(new Date(parseInstant(text) ?? NaN).toISOString()).toBe(instant);
  });

  it('in milliseconds is recognized, and any other value is answered with the forms', () => {
    expect(instantProblem(1767607200000)).toBe(
      `must be ${instantForms}; this looks like epoch milliseconds: 1767607200 is in seconds`,
    );
    expect(instantProblem('05/01/2026')).toBe(`must be ${instantForms}`);
    expect(instantProblem('2026-02-30T10:00:00Z')).toBe(`must be ${instantForms}; 2026-02-30 is not a day`);
    expect(instantProblem('2026-02-28T25:00:00Z')).toBe(`must be ${instantForms}; no day has this time`);
  });

  it.each([
    '',
    'now',
    '20260105',
    20260105,
    '1767607200000',
    1767607200000,
    1767607200.5,
    -1,
    null,
    true,
    '2026-02-30T00:00:00Z',
    '2026-13-01',
    '2026-01-05T25:00:00Z',
    '05.01.2026',
  ])('is not %j', (text) => {
    expect(parseInstant(text)).toBeNull();
  });
});
