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

  it('names a subcommand that there is not, and the nearest one', async () => {
    await expect(state(['dmp'])).rejects.toThrow('daemon state has no dmp; did you mean dump?');
    await expect(state([])).rejects.toThrow('daemon state needs one of dump, move');
  });

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
