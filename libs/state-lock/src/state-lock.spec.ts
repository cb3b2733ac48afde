import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateDirFolderError, StateDirLockedError, StateLock } from './state-lock';

/** Holds a socket file as another process would, until it is killed. */
function holder(path: string): ChildProcess {
  const code = `require('node:net').createServer((s) => s.destroy()).listen(${JSON.stringify(path)}, () => console.log('held'))`;
  return spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
}

describe('the lock of a state directory', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'state-lock-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is held once, by any path of the directory, and is free again after its release', async () => {
    const lock = await StateLock.take(join(folder, 'state'), 'gateway');
    symlinkSync(join(folder, 'state'), join(folder, 'other-name'));
    await expect(StateLock.take(join(folder, 'other-name'), 'gateway')).rejects.toThrow(StateDirLockedError);
    await lock.release();
    await (await StateLock.take(join(folder, 'state'), 'gateway')).release();
  });

  it('is held for one file, by any path, and leaves other files of the folder free', async () => {
    const lock = await StateLock.takeFile(join(folder, 'logs', 'audit.jsonl'), 'gateway');
    symlinkSync(join(folder, 'logs'), join(folder, 'other-name'));
    await expect(StateLock.takeFile(join(folder, 'other-name', 'audit.jsonl'), 'gateway')).rejects.toThrow(
      /another gateway process is writing .*audit\.jsonl/,
    );
    const beside = await StateLock.takeFile(join(folder, 'logs', 'other.jsonl'), 'gateway');
    const directory = await StateLock.take(join(folder, 'logs'), 'gateway');
    await Promise.all([lock.release(), beside.release(), directory.release()]);
    await (await StateLock.takeFile(join(folder, 'logs', 'audit.jsonl'), 'gateway')).release();
  });

  it('is refused in a folder that the system does not let anybody make', async () => {
    // On other systems there is no /proc, and making one is refused as well.
    await expect(StateLock.take('/proc/no-such-folder/state', 'daemon')).rejects.toThrow(StateDirFolderError);
  });

  it('lets two programs share a directory', async () => {
    const gateway = await StateLock.take(folder, 'gateway');
    const daemon = await StateLock.take(folder, 'daemon');
    await expect(StateLock.take(folder, 'daemon')).rejects.toThrow('another daemon');
    await Promise.all([gateway.release(), daemon.release()]);
  });

  it('is held where it needs a file, and free the moment its holder is killed', async () => {
    const other = holder(join(folder, 'gateway.lock'));
    await once(other.stdout ?? other, 'data');
    await expect(StateLock.take(folder, 'gateway', 'darwin')).rejects.toThrow(StateDirLockedError);
    other.kill('SIGKILL');
    await once(other, 'exit');
    await (await StateLock.take(folder, 'gateway', 'darwin')).release();
  });
});
