import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateLock } from '@libs/state-lock';
import { StateStore } from '../state/state-store';
import { NoDaemonError } from './control-client';
import { state } from './state.command';

describe('daemon state dump', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'state-dump-'));
  const dump = () => state(['dump', '--state-dir', stateDir]);

  it('does not open the state of a running daemon, which could lose a commit', async () => {
    await StateStore.open(stateDir).close();
    const print = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      const lock = await StateLock.take(stateDir, 'daemon');
      await expect(dump()).rejects.toThrow(NoDaemonError);
      expect(print).not.toHaveBeenCalled();
      await lock.release();
      expect(await dump()).toBe(0);
      expect(print).toHaveBeenCalledWith(expect.stringContaining('"strategies": []'));
    } finally {
      print.mockRestore();
    }
  });
});
