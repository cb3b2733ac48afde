import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineFiles } from './machine-files';
import { makeFoldersSync } from './make-folders';

describe.each([
  ['that waits', (path: string, mode?: number) => Promise.resolve().then(() => makeFoldersSync(path, mode))],
  [
    'that others run beside',
    (path: string, mode?: number) =>
      machineFiles.mkdir(path, { recursive: true, ...(mode === undefined ? {} : { mode }) }),
  ],
])('a folder with its parents, made by a call %s', (_case, make) => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'folders-'));
  });
  afterEach(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true, force: true });
  });

  it('has the mode, and is left as it is once it exists', async () => {
    const path = join(folder, 'a', 'b', 'c');
    await make(path, 0o700);
    await make(path, 0o755);
    for (const part of [path, join(folder, 'a')]) expect(statSync(part).mode & 0o777).toBe(0o700);
    await make(join(folder, 'd', '..', 'e', '/'));
    expect(statSync(join(folder, 'e')).isDirectory()).toBe(true);
  });

  it('is an error where a file is in the way', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(make(join(folder, 'file', 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(make(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  });

  // The recursive mkdir of Node never returns there.
  it('is an error where the system makes no folder', async () => {
    await expect(make('/proc/1/none/a/b')).rejects.toThrow();
  });
});
