import fc from 'fast-check';
import { DraftMap } from './draft-map';

const keys = [0, 1, 2, 3, 4, 5];
const change = fc.record({
  kind: fc.constantFrom('set', 'set', 'set', 'refresh', 'delete', 'delete', 'commit', 'rollback'),
  key: fc.constantFrom(...keys),
  value: fc.nat(3),
});

/** Two plain maps in the place of one with drafts. */
class TwoMaps {
  now = new Map<number, number>();
  committed = new Map<number, number>();

  apply(kind: string, key: number, value: number): void {
    if (kind === 'set') this.now.set(key, value);
    if (kind === 'delete') this.now.delete(key);
    if (kind === 'commit') this.committed = new Map(this.now);
    if (kind === 'rollback') this.now = new Map(this.committed);
    if (kind !== 'refresh') return;
    if (this.committed.get(key) === this.now.get(key)) this.committed.set(key, value);
    this.now.set(key, value);
  }
}

function apply(map: DraftMap<number, number>, kind: string, key: number, value: number): void {
  if (kind === 'set') map.set(key, value);
  if (kind === 'delete') map.delete(key);
  if (kind === 'commit') map.commit();
  if (kind === 'rollback') map.rollback();
  if (kind === 'refresh') map.refresh(key, value);
}

describe('a map of drafts', () => {
  it('reads as a map with its changes, and returns to the last commit', () => {
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const map = new DraftMap<number, number>();
        const model = new TwoMaps();
        for (const { kind, key, value } of changes) {
          // Only a value that is there, and has no draft, is refreshed.
          if (kind === 'refresh' && (!map.has(key) || map.changes.has(key))) continue;
          apply(map, kind, key, value);
          model.apply(kind, key, value);
          expect(new Map(map)).toEqual(model.now);
          expect(map.size).toBe(model.now.size);
          expect(keys.map((each) => map.get(each))).toEqual(keys.map((each) => model.now.get(each)));
          expect(keys.map((each) => map.has(each))).toEqual(keys.map((each) => model.now.has(each)));
          expect([...map.entriesOf(keys)].sort()).toEqual([...model.now].sort());
        }
      }),
    );
  });
});
