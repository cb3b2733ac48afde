import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { lmdbStores } from '@libs/store';
import { applyChange } from '../trade-journal/journal-tables';
import { JournalStore } from '../trade-journal/journal.store';
import { restoreBackup, type Restored } from './restore-backup';
import { runBackup } from './run-backup';
import { takeBackup } from './take-backup';

describe('the audit log of a restored backup', () => {
  const clock = new SystemClock();
  const lines = (from: number, to: number, at = 'a'): string =>
    Array.from({ length: to - from + 1 }, (_, index) => `{"sequence":${from + index},"at":"${at}"}\n`).join('');
  let home: string;
  let places: { readonly journal: string; readonly auditFile: string; readonly haltFiles: readonly [string, string] };
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'restore-backup-'));
    const haltFiles = [join(home, 'kill'), join(home, 'engaged')] as const;
    places = { journal: join(home, 'journal'), auditFile: join(home, 'audit.jsonl'), haltFiles };
    const store = new JournalStore(lmdbStores, places.journal, randomUUID);
    await store.write((tables) => applyChange(tables, { put: 'open', key: 'a' }));
    writeFileSync(places.auditFile, lines(1, 42));
    const copy = { isLive: true, to: (to: string) => store.copyTo(to) };
    await takeBackup(places, join(home, 'backup'), copy, { clock, version: '0.0.0' });
    await store.close();
  });
  afterEach(() => rmSync(home, { recursive: true }));
  const restore = (replace = true): Promise<Restored> =>
    restoreBackup(places, join(home, 'backup'), { replace, clock, newId: randomUUID });
  const aside = (): string[] => readdirSync(home).filter((name) => name.startsWith('replaced-'));

  it.each([
    ['goes on after the backup', lines(1, 50)],
    ['ends with the backup', lines(1, 42)],
    ['was rotated since', lines(44, 50)],
  ])('is the existing one if that %s', async (_case, existing) => {
    writeFileSync(places.auditFile, existing);
    expect((await restore()).audit).toEqual({ kind: 'kept' });
    expect([readFileSync(places.auditFile, 'utf8'), aside()]).toEqual([existing, []]);
  });

  it.each([
    ['is a new one', lines(1, 2, 'b')],
    ['is a new one that has grown longer', lines(1, 60, 'b')],
    ['has fewer lines', lines(1, 30)],
    ['has none', ''],
  ])('is that of the backup if the existing one %s, which is moved aside', async (_case, existing) => {
    writeFileSync(places.auditFile, existing);
    const { audit } = await restore();
    expect(readFileSync(places.auditFile, 'utf8')).toBe(lines(1, 42));
    expect(audit).toEqual({ kind: 'restored', movedAside: join(home, aside().join()) });
    expect(readFileSync(join(home, aside().join()), 'utf8')).toBe(existing);
  });

  it('is an error without --replace if the existing one does not continue it', async () => {
    rmSync(places.journal, { recursive: true });
    writeFileSync(places.auditFile, lines(1, 2, 'b'));
    await expect(restore(false)).rejects.toThrow('does not continue that of the backup: --replace moves it aside');
    expect(readFileSync(places.auditFile, 'utf8')).toBe(lines(1, 2, 'b'));
  });
});

describe('a command line of gateway backup', () => {
  it.each([
    [[], 'backup needs create, verify or restore'],
    [['creat', 'x'], 'unknown argument creat; did you mean create?'],
    [['create'], 'backup create needs a folder'],
    [['restore', 'x', 'y'], 'unexpected argument y: the command takes DIR'],
    [['create', 'x', '--replac'], 'unknown flag --replac: the command takes no flags'],
    [['verify', 'x', '--replace'], 'unknown flag --replace: the command takes no flags'],
    [['restore', 'x', '--replac'], 'unknown flag --replac; did you mean --replace?'],
  ])('%j states its mistake before the usage', async (args, problem) => {
    const print = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(await runBackup(args)).toBe(2);
    expect(print.mock.calls.flat().join('\n')).toMatch(
      new RegExp(`^${problem.replaceAll('?', '\\?')}\nusage: gateway backup`),
    );
    print.mockRestore();
  });
});
