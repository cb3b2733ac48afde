import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal } from './journal';

describe('The journal of the terminal', () => {
  let home: string;
  const executable = (): string => join(home, 'program', 'terminal64.exe');
  const file = (folder: string, name: string): string => {
    mkdirSync(join(home, folder), { recursive: true });
    return join(home, folder, name);
  };
  const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'journal-'));
  });
  afterEach(() => {
    rmSync(home, { recursive: true, force: true });
  });

  it('returns lines added since the mark, once', async () => {
    const path = file('program/logs', '20240101.log');
    writeFileSync(path, wide('\ufeffold\r\n'));
    const journal = new Journal();
    await journal.mark(executable());
    appendFileSync(path, wide('new, with ü and 密\r\nand another\r\n'));
    expect(await journal.newLines(executable())).toEqual(['new, with ü and 密', 'and another']);
    expect(await journal.newLines(executable())).toEqual([]);
  });

  it('waits for the end of a line that is being written, even in the middle of a character', async () => {
    const path = file('program/logs', '20240101.log');
    const bytes = wide('\ufeffone\r\ntwo\r\n');
    const journal = new Journal();
    await journal.mark(executable());
    writeFileSync(path, bytes.subarray(0, 15));
    expect(await journal.newLines(executable())).toEqual(['one']);
    appendFileSync(path, bytes.subarray(15));
    expect(await journal.newLines(executable())).toEqual(['two']);
  });

  it('continues in the file of the next day, and in a truncated file', async () => {
    const first = file('program/logs', '20240101.log');
    writeFileSync(first, wide('\ufeffa long line of yesterday\r\n'));
    const journal = new Journal();
    await journal.mark(executable());
    writeFileSync(file('program/logs', '20240102.log'), wide('\ufefftomorrow\r\n'));
    writeFileSync(first, wide('\ufeffanew\r\n'));
    expect((await journal.newLines(executable())).sort()).toEqual(['anew', 'tomorrow']);
  });

  it('reads plain files, a Logs folder in capitals, and the data folders of users', async () => {
    const journal = new Journal([join(home, 'data')]);
    await journal.mark(executable());
    writeFileSync(file('program/Logs', '20240101.LOG'), 'plain\n');
    writeFileSync(file('data/D0E8209F77C8CF37/logs', '20240101.log'), wide('\ufeffroaming\r\n'));
    expect((await journal.newLines(executable())).sort()).toEqual(['plain', 'roaming']);
  });

  it('is empty if there is no journal', async () => {
    const journal = new Journal([join(home, 'nowhere')]);
    await journal.mark(executable());
    expect(await journal.newLines(executable())).toEqual([]);
  });
});
