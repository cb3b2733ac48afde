import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeWhere, requireProgram } from '../e2e/programs/needs';
import { Scratch } from '../e2e/programs/scratch';
import { TinyDisk } from '../e2e/programs/tiny-disk';
import { effort } from '../setup/effort';
import { freeze, fullDisk, kill, SteeredClock } from './chaos-faults';
import { ChaosRun, sound } from './chaos-run';

const faults = Number(process.env.CHAOS_FAULTS ?? effort(8, 200));
const diskKibibytes = 32_768;

const isPossible = TinyDisk.isPossible() && SteeredClock.library !== undefined;

describeWhere(isPossible)('a gateway under load (needs root to mount a disk, libfaketime and python3)', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it(`sends nothing twice and loses nothing over ${faults} freezes, full disks, kills and shifts of its clock`, async () => {
    requireProgram('python3');
    const disk = TinyDisk.mount(scratch, diskKibibytes);
    const stateDir = join(disk.path, 'state');
    mkdirSync(stateDir);
    const clock = new SteeredClock(scratch.folder());
    const run = await ChaosRun.start(scratch, { stateDir, env: clock.env });
    await run.trade([freeze, fullDisk(disk), clock.shift, kill], faults);
    const result = await run.judge();
    process.stdout.write(result.summary);
    expect(result).toMatchObject(sound);
    const checked = result.check();
    process.stdout.write(checked.stdout);
    expect(checked).toMatchObject({ status: 0, stderr: '' });
    // The first shift was two hours ahead: without it the log lasts minutes.
    expect(Number(/hours of the log ([\d.]+)/.exec(checked.stdout)?.[1])).toBeGreaterThanOrEqual(1.9);
  });
});
