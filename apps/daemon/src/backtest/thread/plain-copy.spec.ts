import { runInNewContext } from 'node:vm';
import { plainCopy } from './plain-copy';

describe('a copy of what a strategy hands over', () => {
  it('is the copy that structuredClone makes', () => {
    const values: unknown[] = [
      [{ id: 'a-1', action: 'enter', options: { volume: 0.1, sl: null, tag: undefined }, oco: ['x'] }],
      { at: new Date(5), by: new Map([['a', { b: 1n }]]), of: [new Set([1])], nothing: Number.NaN },
      Object.assign(new Array<number>(3), { 2: 3 }),
      Object.assign([1], { more: 2 }),
      Object.assign(Object.create({ inherited: 1 }) as object, { own: 2 }),
      JSON.parse('{"__proto__": {"a": 1}, "b": 2}'),
      null,
      'text',
    ];
    for (const value of values) expect(plainCopy(value)).toStrictEqual(structuredClone(value));
  });

  it('shares nothing with the original, also of another context', () => {
    const original = runInNewContext('({ options: { volume: 1 }, levels: [{ price: 2 }] })') as {
      readonly options: { volume: number };
      readonly levels: { price: number }[];
    };
    const copy = plainCopy(original);
    original.options.volume = 7;
    for (const level of original.levels) level.price = 8;
    expect(copy).toStrictEqual({ options: { volume: 1 }, levels: [{ price: 2 }] });
  });

  it('takes over what contains itself', () => {
    const ring: { self?: object; name: string } = { name: 'ring' };
    ring.self = ring;
    const copy = plainCopy(ring);
    expect(copy.self).toBe(copy);
    expect(copy).not.toBe(ring);
  });

  it.each([
    ['a function', { handler: () => undefined }],
    ['a symbol', [Symbol('a')]],
    ['a proxy', { options: new Proxy({ volume: 1 }, {}) }],
  ])('refuses %s', (_name, value) => {
    expect(() => plainCopy(value)).toThrow(expect.objectContaining({ name: 'DataCloneError' }) as Error);
  });
});
