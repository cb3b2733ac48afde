import { blankRecord, withRealizedOn } from './records';
import * as shape from './shape';

describe('the shape of a stored value', () => {
  it.each<[string, shape.Shape, unknown[], unknown[]]>([
    ['a text', shape.text, ['', 'a'], [1, null, undefined]],
    ['a number', shape.number, [0, -1.5], [Number.NaN, Infinity, '1', null]],
    ['a whole number', shape.count, [0, 7], [-1, 0.5, 2 ** 53, '1', null]],
    ['true or false', shape.flag, [true, false], [0, 'true', null]],
    [
      'an amount',
      shape.decimal,
      ['0', '-1.25', '12', '1e-7', '1e+21', '1.5e10'],
      [1, '', '1.', '.5', 'x1', '1x', '1e', 'NaN'],
    ],
    ['JSON', shape.jsonText, ['1', '{"a":[]}'], ['{', '', 1]],
    ['buy or sell', shape.oneOf('buy', 'sell'), ['buy', 'sell'], ['hold', null]],
    ['an object', shape.unchecked(), [{}, { a: 1 }], [null, [], 'a', undefined]],
  ])('%s', (what, of, fitting, wrong) => {
    expect(fitting.map(of)).toEqual(fitting.map(() => null));
    expect(wrong.map(of)).toEqual(
      wrong.map((value) => `is ${value === undefined ? 'missing' : JSON.stringify(value)} instead of ${what}`),
    );
  });

  it('may be null or absent', () => {
    const problem = 'is "a" instead of a whole number';
    expect([null, 1, 'a'].map(shape.orNull(shape.count))).toEqual([null, null, problem]);
    expect([undefined, 1, 'a'].map(shape.orAbsent(shape.count))).toEqual([null, null, problem]);
    expect(shape.orNull(shape.count)(undefined)).toBe('is missing instead of a whole number');
    expect(shape.orAbsent(shape.count)(null)).toBe('is null instead of a whole number');
  });

  it('is that of each member of a list, and of each amount', () => {
    const list = shape.each(shape.count);
    expect([list([]), list([1, 2]), list([1, 'a']), list({})]).toEqual([
      ...[null, null, '[1] is "a" instead of a whole number', 'is {} instead of a list'],
    ]);
    expect([{}, { demo: '1.5' }, { demo: 1 }, []].map(shape.amounts)).toEqual([
      ...[null, null, '[0] is 1 instead of an amount', 'is [] instead of an object'],
    ]);
  });

  it('names the member of a record, and shows the beginning of a long value', () => {
    const of = shape.record({ a: shape.count, list: shape.each(shape.record({ b: shape.text })) });
    expect([
      of({ a: 1, list: [{ b: '' }], more: 1 }),
      of({ a: 1, list: [{ b: '' }, {}] }),
      of({ list: [] }),
      of(null),
    ]).toEqual([
      ...[null, 'list[1] b is missing instead of a text', 'a is missing instead of a whole number'],
      'is null instead of an object',
    ]);
    expect(shape.count('x'.repeat(100))).toBe(`is "${'x'.repeat(59)} instead of a whole number`);
  });
});

describe('the result by gateway of a record of before it was kept', () => {
  const { realizedOn: _, ...earlier } = { ...blankRecord('ema'), realized: '5' };

  it('is certain without a trade or with one gateway, and unknown otherwise', () => {
    expect(withRealizedOn(earlier, ['demo', 'live'])).toEqual({ ...earlier, realizedOn: {} });
    const traded = { ...earlier, trades: 1 };
    expect(withRealizedOn(traded, ['demo'])).toEqual({ ...traded, realizedOn: { demo: '5' } });
    expect([withRealizedOn(traded, ['demo', 'live']), withRealizedOn(traded, [])]).toEqual([traded, traded]);
    const kept = { ...traded, realizedOn: { live: '5' } };
    expect(withRealizedOn(kept, ['demo'])).toBe(kept);
  });

  it('starts at nothing', () => {
    expect(blankRecord('ema')).toEqual({
      ...{ name: 'ema', realized: '0', realizedOn: {}, trades: 0, lastTrade: null, halt: null, day: null },
      peakEquity: null,
    });
  });
});
