import { bind, bindingOf, takeChanges } from './refused-bindings';
import { hashOfKey } from './known-key';
import { emptyState } from './trade-state';

const ttlMs = 60_000;
const identity = {
  ...{ clientOrderId: 'k', requestId: 'r', method: 'POST', path: '/order', route: 'POST /order' },
  fingerprint: '0123456789abcdef0123',
};
const at = (runningMs: number) => ({ utcMs: 1_000_000 + runningMs, runningMs });
const hashOf = (key: string): string => hashOfKey(key).toString('hex');

describe('the binding of a refused key', () => {
  it('has the part of the fingerprint that is kept, the route and the times', () => {
    const state = emptyState();
    expect(bind(state, 'k', identity, at(5), ttlMs)).toBe(true);
    const binding = { fingerprint: '0123456789abcdef', route: 'POST /order', createdAtMs: 1_000_005, atRunningMs: 5 };
    expect(bindingOf(state, 'k', 5, ttlMs)).toEqual(binding);
    expect(bindingOf(state, 'other', 5, ttlMs)).toBeUndefined();
    expect(takeChanges(state)).toEqual([{ put: 'refusal', hash: hashOf('k'), binding }]);
    expect(takeChanges(state)).toEqual([]);
  });

  it('lasts from the last refusal, and keeps the route and the time of the first', () => {
    const state = emptyState();
    bind(state, 'k', identity, at(0), ttlMs);
    bind(state, 'k', { ...identity, route: 'POST /close_position' }, at(ttlMs - 1), ttlMs);
    const first = { route: 'POST /order', createdAtMs: 1_000_000 };
    expect(bindingOf(state, 'k', ttlMs, ttlMs)).toMatchObject(first);
    expect(bindingOf(state, 'k', 2 * ttlMs - 2, ttlMs)).toMatchObject(first);
    expect(bindingOf(state, 'k', 2 * ttlMs - 1, ttlMs)).toBeUndefined();
  });

  it('stays as it is when the key comes with other parameters, until it ends', () => {
    const state = emptyState();
    bind(state, 'k', identity, at(0), ttlMs);
    takeChanges(state);
    const other = { ...identity, fingerprint: 'f'.repeat(20), route: 'POST /close_position' };
    expect(bind(state, 'k', other, at(ttlMs - 1), ttlMs)).toBe(false);
    expect([takeChanges(state), bindingOf(state, 'k', ttlMs, ttlMs)]).toEqual([[], undefined]);
    expect(bind(state, 'k', other, at(ttlMs), ttlMs)).toBe(true);
    expect(bindingOf(state, 'k', ttlMs, ttlMs)).toMatchObject({ route: 'POST /close_position' });
  });

  it('is removed with the next refusal after it has ended, the oldest first', () => {
    const state = emptyState();
    bind(state, 'first', identity, at(0), ttlMs);
    bind(state, 'second', identity, at(1), ttlMs);
    bind(state, 'first', identity, at(2), ttlMs);
    takeChanges(state);
    bind(state, 'third', identity, at(ttlMs), ttlMs);
    expect(state.refused.size).toBe(3);
    takeChanges(state);
    bind(state, 'fourth', identity, at(ttlMs + 1), ttlMs);
    expect([...state.refused.keys()]).toEqual(['first', 'third', 'fourth'].map(hashOf));
    expect(takeChanges(state)).toMatchObject([
      { put: 'refusal', hash: hashOf('fourth') },
      { remove: 'refusal', id: hashOf('second') },
    ]);
  });

  it('ends early for the oldest of more than a hundred thousand keys', () => {
    const state = emptyState();
    bind(state, 'oldest', identity, at(0), ttlMs);
    const binding = { fingerprint: '', route: '', createdAtMs: 0, atRunningMs: 0 };
    for (let n = 1; n < 99_999; n++) state.refused.set(String(n), binding);
    bind(state, 'last that fits', identity, at(1), ttlMs);
    expect([state.refused.size, bindingOf(state, 'oldest', 1, ttlMs)]).toMatchObject([100_000, { atRunningMs: 0 }]);
    bind(state, 'one more', identity, at(1), ttlMs);
    expect([state.refused.size, bindingOf(state, 'oldest', 1, ttlMs)]).toEqual([100_000, undefined]);
  });
});
