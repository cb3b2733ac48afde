import { jsonProblem } from './kept-state';

describe('data that is kept as JSON', () => {
  it.each([[{ a: [1, 'x', true, null, { b: -0.5 }] }], [[]], ['text'], [Object.create(null)], [{ a: 1, b: { a: 1 } }]])(
    'may be %j',
    (value) => expect(jsonProblem(value, 'state')).toBeNull(),
  );

  const itself: Record<string, unknown> = {};
  itself['again'] = [itself];
  const deep = Array.from({ length: 101 }).reduce<object>((inner) => [inner], []);
  class Level {
    price = 1;
  }

  it.each([
    [{ a: { b: Number.NaN } }, 'state.a.b is NaN, which JSON does not support'],
    [{ a: [1, Infinity] }, 'state.a[1] is Infinity, which JSON does not support'],
    [{ a: undefined }, 'state.a is undefined, which JSON does not support: use null, or delete the member'],
    [undefined, 'state is undefined, which JSON does not support: use null, or delete the member'],
    [Object.assign(new Array<number>(3), { 0: 1, 2: 2 }), 'state[1] is undefined'],
    [{ a: () => 1 }, 'state.a is a function, which JSON does not support'],
    [{ a: 1n }, 'state.a is a bigint, which JSON does not support'],
    [{ at: new Date(0) }, 'state.at is a Date, which JSON does not support: use plain objects and lists'],
    [{ a: new Map() }, 'state.a is a Map'],
    [{ a: new Float64Array(1) }, 'state.a is a Float64Array'],
    [{ levels: [new Level()] }, 'state.levels[0] is a Level'],
    [itself, 'state.again[0] is an object that contains itself'],
    [deep, 'is nested more than 100 levels deep'],
  ])('is refused by its path %#', (value, problem) => {
    expect(jsonProblem(value, 'state')).toContain(problem);
  });
});
