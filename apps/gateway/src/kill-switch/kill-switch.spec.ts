import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { machineFiles } from '@libs/files';
import { SimulatedDisk } from '@libs/simulated-disk';
import { passUntilDone } from '../testing/passing-time';
import { HaltFiles } from './halt-files';
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

  const killSwitch = (): KillSwitch => new KillSwitch(new HaltFiles(machineFiles), file, marker, silent);
  const started = async (): Promise<KillSwitch> => {
    const started = killSwitch();
    await started.open();
    return started;
  };
  /** A file in place of the folder: not even root can create anything in it. */
  const block = (name: 'config' | 'state'): void => {
    rmSync(join(folder, name), { recursive: true, force: true });
    writeFileSync(join(folder, name), '');
  };
  const unblock = (name: 'config' | 'state'): void => rmSync(join(folder, name), { force: true });

  it('is active exactly while its file exists, even one created by hand', async () => {
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

  it('halts at the call, before its file exists', async () => {
    const killSwitch = await started();
    const engaging = killSwitch.engage();
    expect(await killSwitch.isActive()).toBe(true);
    await engaging;
  });

  it('is active if its file cannot be looked up', async () => {
    file = join(folder, 'x'.repeat(300));
    expect(await killSwitch().isActive()).toBe(true);
  });

  it('reports at the start that its location cannot be written, which alone does not engage it', async () => {
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

  it('creates the file of a held halt at the next start, and stays halted', async () => {
    block('config');
    await (await started()).engage();
    unblock('config');
    expect(await (await started()).isActive()).toBe(true);
    expect(existsSync(file)).toBe(true);
  });

  it('ends a held halt only by release, also for the next start', async () => {
    block('config');
    const killSwitch = await started();
    await killSwitch.engage();
    await killSwitch.release();
    expect(await killSwitch.isActive()).toBe(false);
    expect(killSwitch.status.state).toBe('unwritable');
    expect(await (await started()).isActive()).toBe(false);
  });

  it('starts halted if neither the file nor a marker could have been written', async () => {
    block('config');
    block('state');
    const killSwitch = await started();
    expect(await killSwitch.isActive()).toBe(true);
    unblock('config');
    await killSwitch.tick();
    expect(existsSync(file)).toBe(true);
  });

  it('holds a halt whose file was not flushed, and writes it again once it can', async () => {
    const clock = new VirtualClock();
    const disk = new SimulatedDisk(clock, () => 0.5);
    const pass = <T>(pending: Promise<T>): Promise<T> => passUntilDone(clock, pending);
    const started = async (): Promise<KillSwitch> => {
      const started = new KillSwitch(new HaltFiles(disk.view.files), '/config/kill-switch', '/state/marker', silent);
      await pass(started.open());
      return started;
    };
    const killSwitch = await started();
    disk.setFailingSyncs(true);
    expect(await pass(killSwitch.engage())).toContain('EIO');
    expect(killSwitch.status).toMatchObject({ state: 'missing' });
    disk.setFailingSyncs(false);
    await pass(killSwitch.tick());
    expect(killSwitch.status).toEqual({ state: 'ok', error: null });
    disk.crash('power');
    expect(await pass((await started()).isActive())).toBe(true);
  });

  it.each([
    ['its file, beside the marker of an earlier halt', '/config', 'write'],
    ['the marker of an earlier halt', '/state', 'write'],
    ['its file, which could not even be looked up when it was engaged', '/config', 'all'],
  ] as const)('stays halted, also after a restart, when a release cannot remove %s', async (_case, folder, denial) => {
    const clock = new VirtualClock();
    const disk = new SimulatedDisk(clock, () => 0.5);
    const pass = <T>(pending: Promise<T>): Promise<T> => passUntilDone(clock, pending);
    const started = async (): Promise<KillSwitch> => {
      const started = new KillSwitch(new HaltFiles(disk.view.files), '/config/kill-switch', '/state/marker', silent);
      await pass(started.open());
      return started;
    };
    const killSwitch = await started();
    if (denial === 'write') disk.replace('/state/marker', '');
    else disk.deny(folder, denial);
    await pass(killSwitch.engage());
    disk.deny(folder, denial);
    await expect(pass(killSwitch.release())).rejects.toThrow();
    expect(await pass(killSwitch.isActive())).toBe(true);
    disk.allow(folder);
    disk.crash('process');
    expect(await pass((await started()).isActive())).toBe(true);
  });

  it('is active while a directory is at its path, and does not remove it', async () => {
    mkdirSync(file, { recursive: true });
    const killSwitch = await started();
    expect(await killSwitch.isActive()).toBe(true);
    expect(killSwitch.status).toEqual({ state: 'unwritable', error: 'the path is a directory (EISDIR)' });
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

  it('serializes simultaneous calls', async () => {
    const killSwitch = await started();
    await Promise.all([killSwitch.engage(), killSwitch.release(), killSwitch.engage()]);
    expect(existsSync(file)).toBe(true);
    await Promise.all([killSwitch.engage(), killSwitch.release()]);
    expect(await killSwitch.isActive()).toBe(false);
  });
});
