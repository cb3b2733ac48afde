import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KillSwitch } from './kill-switch';

const folder = (): string => mkdtempSync(join(tmpdir(), 'kill-switch-'));

describe('the kill switch', () => {
  it('is active exactly while its file exists, whoever made it', async () => {
    const file = join(folder(), 'deep', 'kill-switch');
    const killSwitch = new KillSwitch(file);
    expect(await killSwitch.isActive()).toBe(false);
    await killSwitch.engage();
    await killSwitch.engage();
    expect(existsSync(file)).toBe(true);
    expect(await killSwitch.isActive()).toBe(true);
    await killSwitch.release();
    await killSwitch.release();
    expect(await killSwitch.isActive()).toBe(false);
    writeFileSync(file, '');
    expect(await killSwitch.isActive()).toBe(true);
  });

  it('counts as active when its file cannot be looked at', async () => {
    const name = 'x'.repeat(300);
    expect(await new KillSwitch(join(folder(), name)).isActive()).toBe(true);
  });
});
