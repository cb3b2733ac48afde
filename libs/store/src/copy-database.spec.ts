import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { copyDatabase } from './copy-database';
import { StoreOpenError } from './store';

describe('the copy of a database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'copy-database-'));
  const [source, copy] = [join(folder, 'source'), join(folder, 'copy')];
  const rowsOf = (path: string) => {
    const root = open({ path, encoding: 'json' });
    return { root, rows: root.openDB<string, number>({ name: 'rows', encoding: 'json' }) };
  };

  beforeEach(async () => {
    const { root, rows } = rowsOf(source);
    for (let number = 0; number < 500; number++) await rows.put(number, `${number} `.repeat(100));
    await root.close();
  });
  afterEach(() => {
    for (const path of [source, copy]) rmSync(path, { recursive: true, force: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has every row, and only its owner can read it', async () => {
    await copyDatabase('the rows', source, copy);
    const { root, rows } = rowsOf(copy);
    expect([...rows.getRange()].map(({ value }) => Number(value.split(' ')[0]))).toEqual([...Array(500).keys()]);
    await root.close();
    expect([copy, join(copy, 'data.mdb')].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
      '700',
      '600',
    ]);
  });

  it('is refused for a folder without a database, and for a damaged one', async () => {
    await expect(copyDatabase('the rows', folder, copy)).rejects.toThrow(`the rows does not exist in ${folder}`);
    truncateSync(join(source, 'data.mdb'), 16_384);
    const refused: unknown = await copyDatabase('the rows', source, copy).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreOpenError);
    expect(String(refused)).toContain('is damaged');
  });
});
