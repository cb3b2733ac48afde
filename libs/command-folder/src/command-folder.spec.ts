import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineFiles } from '@libs/files';
import { CommandFolder } from './command-folder';

/** The command of this test: {"rename":"one"}. */
function renameOf(text: string): { readonly rename: string } | null {
  try {
    const { rename } = JSON.parse(text) as { readonly rename?: unknown };
    return typeof rename === 'string' ? { rename } : null;
  } catch {
    return null;
  }
}

describe('commands left for a program', () => {
  const setUp = () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'commands-'));
    return {
      stateDir,
      folder: new CommandFolder(stateDir, machineFiles, renameOf),
      left: () => readdirSync(join(stateDir, 'commands')).sort(),
    };
  };
  const resultOf = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

  it('are carried out once, in the order of their ids, and answered', async () => {
    const { folder, left } = setUp();
    const second = await folder.leave('2', { rename: 'two' });
    const first = await folder.leave('1', { rename: 'one' });
    const names: string[] = [];
    for (let round = 0; round < 2; round++) {
      await folder.serve(async ({ rename }) => {
        names.push(rename);
        return { ok: true, message: `${rename} renamed` };
      });
    }
    expect(names).toEqual(['one', 'two']);
    expect([resultOf(first), resultOf(second)]).toMatchObject([{ message: 'one renamed' }, { message: 'two renamed' }]);
    expect(left()).toEqual(['1.result', '2.result']);
  });

  it('are answered when they fail or are none, and not tried again', async () => {
    const { stateDir, folder, left } = setUp();
    const result = await folder.leave('1', { rename: 'one' });
    writeFileSync(join(stateDir, 'commands', '2.command'), '{"command":"format"}');
    writeFileSync(join(stateDir, 'commands', '3.command'), '{');
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
    expect(left()).toEqual(['1.result', '2.result', '3.result']);
  });

  it('do not wait for a long one, which is executed once and answered when it ends', async () => {
    const { stateDir, left } = setUp();
    const folder = new CommandFolder(stateDir, machineFiles, renameOf, ({ rename }) => rename === 'long');
    await folder.leave('1', { rename: 'long' });
    await folder.leave('2', { rename: 'short' });
    const begun: string[] = [];
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const run = async ({ rename }: { readonly rename: string }) => {
      begun.push(rename);
      if (rename === 'long') await ended;
      return { ok: true, message: rename };
    };
    for (let round = 0; round < 2; round++) await folder.serve(run);
    expect(begun).toEqual(['long', 'short']);
    expect(left()).toEqual(['1.command', '2.result']);
    end();
    while (left().includes('1.command')) await new Promise((resolve) => setImmediate(resolve));
    expect(left()).toEqual(['1.result', '2.result']);
    await folder.serve(run);
    expect(begun).toEqual(['long', 'short']);
  });

  it('are not executed once they are withdrawn', async () => {
    const { folder, left } = setUp();
    await folder.leave('1', { rename: 'one' });
    await folder.withdraw('1');
    await folder.serve(() => Promise.reject(new Error('nothing is left to execute')));
    expect(left()).toEqual([]);
  });
});
