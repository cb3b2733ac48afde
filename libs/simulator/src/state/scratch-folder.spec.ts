import { fstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScratchFolder } from './scratch-folder';

describe('a scratch folder', () => {
  const lines: string[] = [];
  let path: string;
  let folder: ScratchFolder;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'scratch-'));
    lines.length = 0;
    folder = new ScratchFolder(path, { warn: (text) => void lines.push(text) });
  });
  afterEach(() => rmSync(path, { recursive: true, force: true }));

  /** The open files of this process that were in the folder. */
  const openFiles = (): number[] =>
    readdirSync('/proc/self/fd')
      .filter((fd) => linkOf(fd).startsWith(path))
      .map(Number);

  it('has a file without a name, which only this user could open, until it is closed', () => {
    const file = folder.create();
    expect(readdirSync(path)).toEqual([]);
    const [descriptor = -1, ...others] = openFiles();
    expect(others).toEqual([]);
    expect(fstatSync(descriptor).mode & 0o777).toBe(0o600);
    expect(fstatSync(descriptor).nlink).toBe(0);
    file.close();
    expect(openFiles()).toEqual([]);
  });

  it('reads what was written, and fails at the end of the file', () => {
    const file = folder.create();
    file.write(Buffer.from('first'), 0);
    file.write(Buffer.from('second'), 5);
    file.write(Buffer.from('SEC'), 5);
    expect(Buffer.from(file.read(3, 6)).toString()).toBe('stSECo');
    expect(() => file.read(6, 6)).toThrow('the file ends too early');
    file.close();
  });

  it('leaves nothing behind if it cannot create a file', () => {
    rmSync(path, { recursive: true });
    expect(() => folder.create()).toThrow('ENOENT');
    expect(openFiles()).toEqual([]);
  });

  it('logs one line for the first write that fails, and one for the first read', () => {
    for (const attempt of ['write', 'write', 'read', 'read', 'write'] as const) {
      folder.reportFailure(attempt, new Error('ENOSPC: no space left on device, write'));
    }
    expect(lines).toEqual([
      `cannot write the history in ${path}, so it stays in memory: ENOSPC: no space left on device, write`,
      `cannot read the history in ${path}, so reads of it fail: ENOSPC: no space left on device, write`,
    ]);
  });
});

function linkOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}
