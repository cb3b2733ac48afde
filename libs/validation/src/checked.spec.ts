import { IsInt, IsNumber, IsString, Max } from 'class-validator';
import { checked } from './checked';
import { allOf, ListOf, Mapping, Optional } from './rules';

class Limits {
  @Optional() @IsNumber({}, { message: 'must be a number' }) volume: number | null = null;
}

class Leg {
  @IsString({ message: 'must be a text' }) symbol = '';
}

class Base {
  @allOf(IsInt({ message: 'must be whole' }), Max(9, { message: 'must be at most 9' })) count = 0;
}

class Plan extends Base {
  @IsString({ message: 'must be a text' }) name: string;
  @Optional() @Mapping(Limits) limits = new Limits();
  @Optional() @ListOf(Leg) legs: Leg[] = [];
  @Optional() @Mapping() notes: Record<string, unknown> = {};
}

const problemsOf = (plain: unknown): string[] =>
  checked(Plan, plain).problems.map(({ path, problem }) => `${path}: ${problem}`);

describe('a record that was read from a file', () => {
  it('is an instance of its class, with the defaults of what is absent', () => {
    const plain = { name: 'a', count: 3, legs: [{ symbol: 'X' }], notes: { any: [1, { deep: null }] } };
    const { value, problems } = checked(Plan, plain);
    expect(problems).toEqual([]);
    expect(value).toBeInstanceOf(Plan);
    expect(value.legs[0]).toBeInstanceOf(Leg);
    expect(value).toEqual({ ...plain, limits: { volume: null } });
  });

  it('has every problem at once, one for each member, by its path', () => {
    const plain = { name: 1, count: 12.5, limits: { volume: 'x' }, legs: [{ symbol: 'X' }, { symbol: 5, more: 1 }] };
    expect(problemsOf(plain)).toEqual([
      'name: must be a text',
      'limits.volume: must be a number',
      'legs[1].more: is not a known setting; known are symbol',
      'legs[1].symbol: must be a text',
      'count: must be whole',
    ]);
  });

  it('is refused for a member that has a name and no value, also one that may be left out', () => {
    expect(problemsOf({ name: null, count: 1, limits: { volume: null }, legs: null, notes: null })).toEqual([
      'name: has no value: it must be a text',
      'limits.volume: has no value: it must be a number, or be left out',
      'legs: has no value: it must be a list, or be left out',
      'notes: has no value: it must be a mapping of names to values, or be left out',
    ]);
    expect(problemsOf({ name: 'a', count: 1, limits: null })).toEqual([
      'limits: has no value: it must be a mapping of names to values, or be left out',
    ]);
  });

  it('is refused for a list in place of a mapping, and the reverse', () => {
    expect(problemsOf([])).toEqual([': must be a mapping of names to values']);
    expect(problemsOf({ name: 'a', count: 1, limits: [], legs: { symbol: 'X' }, notes: 'none' })).toEqual([
      'limits: must be a mapping of names to values',
      'legs: must be a list',
      'notes: must be a mapping of names to values',
    ]);
  });

  it.each([[5], [null], [[]], ['X']])('treats the item %j of a list of mappings as an empty one', (item) => {
    class Required {
      @IsString({ message: 'must be a text' }) symbol: string;
    }
    class Basket {
      @ListOf(Required) legs: Required[] = [];
    }
    const { value, problems } = checked(Basket, { legs: [item] });
    expect(problems).toEqual([{ path: 'legs[0].symbol', problem: 'must be a text' }]);
    expect(value.legs[0]).toBeInstanceOf(Required);
  });

  it('converts nothing', () => {
    expect(problemsOf({ name: 'a', count: '1' })).toEqual(['count: must be whole']);
    expect(problemsOf({ name: 'a', count: true })).toEqual(['count: must be whole']);
    expect(problemsOf({ name: 7, count: 1 })).toEqual(['name: must be a text']);
  });

  it('explains a misspelt member once, and still reports the right one if it is there and wrong', () => {
    expect(problemsOf({ nam: 'a', count: 1 })).toEqual(['nam: is not a known setting; did you mean name?']);
    expect(problemsOf({ nam: 'a', name: 5, count: 1 })).toEqual([
      'nam: is not a known setting; did you mean name?',
      'name: must be a text',
    ]);
    // Too far from the name to be meant for sure.
    expect(problemsOf({ naming: 'a', count: 1 })).toEqual([
      'naming: is not a known setting; did you mean name?',
      'name: must be a text',
    ]);
  });

  it('names no other setting where none is declared', () => {
    class Nothing {}
    expect(checked(Nothing, {}).problems).toEqual([]);
    expect(checked(Nothing, { ms: 1 }).problems).toEqual([{ path: 'ms', problem: 'is not a known setting' }]);
  });

  it.each(Object.getOwnPropertyNames(Object.prototype))('refuses %s as unknown, at any depth', (name) => {
    // JSON makes `__proto__` a member of its own, as YAML does.
    const named = JSON.parse(`{"${name}":{"polluted":true}}`) as object;
    const plain = {
      name: 'a',
      count: 1,
      ...named,
      limits: named,
      legs: [{ symbol: 'X', ...named }],
      notes: { a: named },
    };
    const { value } = checked(Plan, plain);
    expect(problemsOf(plain)).toEqual(
      [name, `limits.${name}`, `legs[0].${name}`, `notes.a.${name}`].map((path) => `${path}: is not a known setting`),
    );
    expect(Object.hasOwn(value, name)).toBe(false);
    expect(value).not.toHaveProperty('polluted');
    expect({}).not.toHaveProperty('polluted');
  });

  it('has the default in place of each member that is refused', () => {
    const { value } = checked(Plan, { name: 'a', count: 99, limits: [], legs: 5, notes: null });
    expect(value).toEqual({ name: 'a', count: 0, limits: { volume: null }, legs: [], notes: {} });
  });

  it('has the default in place of a member that is null, and given under a misspelt name', () => {
    const { value, problems } = checked(Plan, { name: 'a', count: null, coun: 5 });
    expect(problems).toEqual([{ path: 'coun', problem: 'is not a known setting; did you mean count?' }]);
    expect(value.count).toBe(0);
  });
});
