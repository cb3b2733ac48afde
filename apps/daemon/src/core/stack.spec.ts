import * as fc from 'fast-check';
import { newStack, leftOver, levels, pendingLayers, reached, triggerPrice, type StackRecord } from './stack';

const stream = { alias: 'eur', symbol: 'EURUSD', timeframe: 'M1', broker: 'demo' };
const options = { direction: 'buy', layers: 4, spacing: 0.001, volume: 0.1 } as const;
const fresh = (): StackRecord => {
  const stack = newStack('s1', 'ema', stream, options, 0);
  if (typeof stack === 'string') throw new Error(stack);
  return stack;
};
const opened = (changes: Partial<StackRecord> = {}): StackRecord => ({
  ...fresh(),
  anchor: 1.1,
  tickets: [7],
  ...changes,
});
const quote = (price: number) => ({ timeMs: 0, bid: price, ask: price });

describe('a stack', () => {
  it('waits for nothing before its first layer is filled', () => {
    const stack = fresh();
    expect(stack.waiting).toEqual([2, 3, 4]);
    expect(reached(stack, quote(9))).toEqual([]);
    expect(pendingLayers(stack)[0]).toMatchObject({ layer: 2, triggerPrice: null });
  });

  it('has layer i wait at anchor ± spacing · (i − 1), exactly', () => {
    expect([2, 3, 4].map((layer) => triggerPrice(opened(), layer))).toEqual([1.101, 1.102, 1.103]);
    expect([2, 3, 4].map((layer) => triggerPrice(opened({ side: 'sell' }), layer))).toEqual([1.099, 1.098, 1.097]);
  });

  it('enters a bought layer at the ask and a sold one at the bid', () => {
    expect(reached(opened(), { timeMs: 0, bid: 1.1005, ask: 1.1021 })).toEqual([2, 3]);
    expect(reached(opened({ side: 'sell' }), { timeMs: 0, bid: 1.0989, ask: 1.1 })).toEqual([2]);
  });

  it('gives each layer levels of its own', () => {
    expect(levels(opened({ slDistance: 0.002, tpDistance: 0.004 }), 1.101)).toEqual({ sl: 1.099, tp: 1.105 });
    expect(levels(opened({ side: 'sell', slDistance: 0.002 }), 1.1)).toEqual({ sl: 1.102 });
  });

  it('leaves nothing waiting when it is flat or its time has passed', () => {
    expect(leftOver(opened(), () => true, 1_000)).toBeNull();
    expect(leftOver(opened(), () => false, 1_000)).toBe('the position is flat');
    expect(leftOver(opened(), () => true, 86_400_001)).toBe('the stack expired');
    expect(leftOver(opened({ anchor: null }), () => false, 86_400_001)).toBeNull();
  });

  it.each([{ layers: 0 }, { layers: 1.5 }, { layers: 101 }, { spacing: 0 }, { spacing: Number.NaN }])(
    'is denied with %j',
    (wrong) => {
      expect(newStack('s1', 'ema', stream, { ...options, ...wrong }, 0)).toMatch(/^stack: /);
    },
  );

  it('reaches layers in order: never a farther one before a nearer one', () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 1.2, noNaN: true }), fc.constantFrom('buy', 'sell'), (price, side) => {
        const layers = reached(opened({ side: side }), quote(price));
        expect(layers).toEqual([2, 3, 4].slice(0, layers.length));
      }),
    );
  });
});
