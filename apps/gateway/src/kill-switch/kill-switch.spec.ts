import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KillSwitch } from './kill-switch';

const silent = { error: () => undefined, warn: () => undefined };

describe('the kill switch', () => {
  let folder: string;
  let file: string;
  let marker: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kill-switch-'));
    file = join(folder, 'config', 'kill-switch');
    marker = join(folder, 'state', 'kill-switch-engaged');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const killSwitch = (): KillSwitch => new KillSwitch(file, marker, silent);
  const started = async (): Promise<KillSwitch> => {
    const started = killSwitch();
    await started.open();
    return started;
  };
  /** A file where the folder has to be: nothing can be created in it, not even by root. */
  const block = (name: 'config' | 'state'): void => {
    rmSync(join(folder, name), { recursive: true, force: true });
    writeFileSync(join(folder, name), '');
  };
  const unblock = (name: 'config' | 'state'): void => rmSync(join(folder, name), { force: true });

  it('is active exactly while its file exists, whoever made it', async () => {
    const killSwitch = await started();
    expect(await killSwitch.isActive()).toBe(false);
    expect(await killSwitch.engage()).toBeNull();
    await killSwitch.engage();
    expect(existsSync(file)).toBe(true);
    expect(await killSwitch.isActive()).toBe(true);
    await killSwitch.release();
    await killSwitch.release();
    expect(await killSwitch.isActive()).toBe(false);
    writeFileSync(file, '');
    expect(await killSwitch.isActive()).toBe(true);
    rmSync(file);
    expect(await killSwitch.isActive()).toBe(false);
  });

  it('halts at the call, before its file is there', async () => {
    const killSwitch = await started();
    const engaging = killSwitch.engage();
    expect(await killSwitch.isActive()).toBe(true);
    await engaging;
  });

  it('counts as active when its file cannot be looked up', async () => {
    file = join(folder, 'x'.repeat(300));
    expect(await killSwitch().isActive()).toBe(true);
  });

  it('says at the start that its location cannot be written, and is not active for that alone', async () => {
    block('config');
    const killSwitch = await started();
    expect(killSwitch.status).toEqual({ state: 'unwritable', error: expect.stringMatching(/\(E[A-Z]+\)$/) });
    expect(await killSwitch.isActive()).toBe(false);
    unblock('config');
    await killSwitch.tick();
    expect(killSwitch.status).toEqual({ state: 'ok', error: null });
  });

  it('holds a halt in memory, over restarts, and creates the file once it can', async () => {
    block('config');
    const killSwitch = await started();
    expect(await killSwitch.engage()).toMatch(/\(E[A-Z]+\)$/);
    expect(killSwitch.status.state).toBe('missing');
    expect(await killSwitch.isActive()).toBe(true);

    const restarted = await started();
    expect(await restarted.isActive()).toBe(true);
    expect(restarted.status.state).toBe('missing');

    unblock('config');
    await restarted.tick();
    expect(existsSync(file)).toBe(true);
    expect(existsSync(marker)).toBe(false);
    expect(restarted.status.state).toBe('ok');
    rmSync(file);
    expect(await restarted.isActive()).toBe(false);
  });

  it('creates the file of a held halt at the next start, and stays halted by it', async () => {
    block('config');
    await (await started()).engage();
    unblock('config');
    expect(await (await started()).isActive()).toBe(true);
    expect(existsSync(file)).toBe(true);
  });

  it('forgets a held halt by release only, for the next start too', async () => {
    block('config');
    const killSwitch = await started();
    await killSwitch.engage();
    await killSwitch.release();
    expect(await killSwitch.isActive()).toBe(false);
    expect(killSwitch.status.state).toBe('unwritable');
    expect(await (await started()).isActive()).toBe(false);
  });

  it('starts halted where neither the file nor a marker could have been written', async () => {
    block('config');
    block('state');
    const killSwitch = await started();
    expect(await killSwitch.isActive()).toBe(true);
    unblock('config');
    await killSwitch.tick();
    expect(existsSync(file)).toBe(true);
  });

  it('is halted by a directory in its place, which it does not remove', async () => {
    mkdirSync(file, { recursive: true });
    const killSwitch = await started();
    expect(await killSwitch.isActive()).toBe(true);
    expect(killSwitch.status).toEqual({ state: 'unwritable', error: 'there is a directory in its place (EISDIR)' });
    expect(await killSwitch.engage()).toBeNull();
    await expect(killSwitch.release()).rejects.toThrow();
    expect(await killSwitch.isActive()).toBe(true);
  });

  it('notices within half a minute that its location can no longer be written', async () => {
    const killSwitch = await started();
    block('config');
    for (let second = 0; second < 30; second++) await killSwitch.tick();
    expect(killSwitch.status.state).toBe('unwritable');
  });

  it('carries out calls that come together one after the other', async () => {
    const killSwitch = await started();
    await Promise.all([killSwitch.engage(), killSwitch.release(), killSwitch.engage()]);
    expect(existsSync(file)).toBe(true);
    await Promise.all([killSwitch.engage(), killSwitch.release()]);
    expect(await killSwitch.isActive()).toBe(false);
  });
});
