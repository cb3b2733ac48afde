import { ApiError } from '@libs/envelope';
import { QueryReader } from './query-reader';

describe('the query reader', () => {
  it('reads the given fields and leaves the rest undefined', () => {
    const query = new QueryReader({ symbol: 'EURUSD', num_bars: '10', flatten: 'true', other: 'ignored' });
    expect(query.requiredText('symbol')).toBe('EURUSD');
    expect(query.integer('num_bars', { min: 1, max: 100 })).toBe(10);
    expect(query.boolean('flatten')).toBe(true);
    expect(query.text('from')).toBeUndefined();
    expect(query.parsed('symbol', 'short', (text) => (text.length < 9 ? text.length : null))).toBe(6);
    expect(() => query.finish()).not.toThrow();
  });

  it('reports all problems together, by field', () => {
    const query = new QueryReader({
      a: ['1', '2'],
      b: '1.5',
      c: '1000',
      d: 'yes',
      e: 'x'.repeat(129),
      f: 'odd',
      g: '',
    });
    query.requiredText('missing');
    query.requiredText('a');
    query.integer('b', { min: 0, max: 9 });
    query.integer('c', { min: 0, max: 9 });
    query.boolean('d');
    query.text('e');
    query.parsed('f', 'even', () => null);
    query.integer('g', { min: 0, max: 9 });
    const caught = thrownBy(() => query.finish());
    expect(caught).toBeInstanceOf(ApiError);
    expect((caught as ApiError).details).toEqual([
      { field: 'missing', problem: 'is missing' },
      { field: 'a', problem: 'must be given once' },
      { field: 'b', problem: 'must be an integer, not "1.5"' },
      { field: 'c', problem: 'must be an integer from 0 to 9, not "1000"' },
      { field: 'd', problem: 'must be true or false, not "yes"' },
      { field: 'e', problem: 'must have at most 128 characters' },
      { field: 'f', problem: 'must be even, not "odd"' },
      { field: 'g', problem: 'is empty: give a value, or leave it out' },
    ]);
  });
});

function thrownBy(run: () => void): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
