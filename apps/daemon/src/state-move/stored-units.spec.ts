import { mkdtempSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesOfKey, storedEntries, type Key, type StoredEntry } from '@libs/store';
import { storedUnits } from './move-state';

const fixtures = join(__dirname, '../../../../test/fixtures');

const entry = (table: string, key: Key, value: unknown = 1): StoredEntry => {
  return { table, key: bytesOfKey(key), value: Buffer.from(JSON.stringify(value)) };
};

describe('the units of a state', () => {
  it.each([
    ['v0.1.0', ['book', 'flip', 'ladder']],
    ['with-fences', ['faulty', 'ladder']],
  ])('of %s have every entry, each once', async (version, names) => {
    const path = join(mkdtempSync(join(tmpdir(), 'units-')), 'state.lmdb');
    await cp(join(fixtures, version, 'daemon/state.lmdb'), path);
    const entries = await storedEntries('the state', path);
    const { units, problems } = storedUnits(entries);
    expect([units.map(({ name }) => name), problems]).toEqual([names, []]);
    const assigned = units.flatMap((unit) => unit.entries);
    expect(assigned).toHaveLength(entries.length);
    expect(new Set(assigned)).toEqual(new Set(entries));
  });

  it('have the children of a portfolio with it, and owners by the strategy that owns', () => {
    const own = [
      entry('strategies', 'book'),
      entry('strategies', 'book/a'),
      entry('kept-by-strategy', 'book/a'),
      entry('tickets-by-strategy', ['book/a', 'open', 'demo', 7]),
      entry('intents-by-strategy', ['book/a', 'open', 'k']),
      entry('stacks-by-strategy', ['book/a', 'past', 's']),
      entry('owners', ['demo', 7], 'book/a'),
      entry('expiries', [1_700_000_000_000, 'stacks-by-strategy', 'book/a', 'past', 's']),
    ];
    const others = [entry('strategies', 'bookends'), entry('owners', ['demo', 8], 'bookends')];
    const { units, problems } = storedUnits([...own, ...others]);
    expect(units).toEqual([
      { name: 'book', entries: own },
      { name: 'bookends', entries: others },
    ]);
    expect(problems).toEqual([]);
  });

  it('are not all of a state with a table of another version, or an entry that is of no strategy', () => {
    const { problems } = storedUnits([
      ...[entry('moods', 'trend'), entry('moods', 'mean'), entry('owners', ['demo', 7], 8)],
      entry('expiries', [1, 'tickets-by-strategy']),
    ]);
    expect(problems).toEqual(
      ['moods', 'owners', 'expiries'].map((table) => expect.stringContaining(`the table ${table} `) as string),
    );
  });
});
