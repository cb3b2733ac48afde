import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineFiles } from '@libs/files';
import { CommandFolder } from './command-folder';

describe('commands left for the daemon', () => {
  const setUp = () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'commands-'));
    return {
      stateDir,
      folder: new CommandFolder(stateDir, machineFiles),
      left: () => readdirSync(join(stateDir, 'commands')).sort(),
    };
  };
  const resultOf = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

  it('are carried out once, in the order of their ids, and answered', async () => {
    const { folder, left } = setUp();
    const second = await folder.leave('2', { command: 'resume', name: 'two' });
    const first = await folder.leave('1', { command: 'resume', name: 'one' });
    const names: string[] = [];
    for (let round = 0; round < 2; round++) {
      await folder.serve(async (command) => {
        if (command.command === 'dump') throw new Error('not a command of this test');
        names.push(command.name);
        return { ok: true, message: `${command.name} resumed` };
      });
    }
    expect(names).toEqual(['one', 'two']);
    expect([resultOf(first), resultOf(second)]).toMatchObject([{ message: 'one resumed' }, { message: 'two resumed' }]);
    expect(left()).toEqual(['1.result', '2.result']);
  });

  it('are answered when they fail or are none, and not tried again', async () => {
    const { stateDir, folder, left } = setUp();
    const result = await folder.leave('1', { command: 'resume', name: 'one' });
    writeFileSync(join(stateDir, 'commands', '2.command'), '{"command":"format"}');
    writeFileSync(join(stateDir, 'commands', '3.command'), '{');
    writeFileSync(join(stateDir, 'commands', '4.command'), '{"command":"settle","name":"one","key":"k","order":"7"}');
    let tries = 0;
    for (let round = 0; round < 2; round++) {
      await folder.serve(() => {
        tries++;
        return Promise.reject(new Error('the state cannot be written'));
      });
    }
    expect(tries).toBe(1);
    expect(resultOf(result)).toEqual({ ok: false, message: 'the state cannot be written' });
    expect(resultOf(join(stateDir, 'commands', '2.result'))).toEqual({ ok: false, message: 'unknown command' });
    expect(resultOf(join(stateDir, 'commands', '4.result'))).toEqual({ ok: false, message: 'unknown command' });
    expect(left()).toEqual(['1.result', '2.result', '3.result', '4.result']);
  });
});
