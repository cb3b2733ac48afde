import { describeWith } from '../e2e/programs/needs';
import { Scratch } from '../e2e/programs/scratch';
import { effort } from '../setup/effort';
import { kill } from './chaos-faults';
import { ChaosRun, sound, type ChaosResult } from './chaos-run';

const kills = Number(process.env.CHAOS_KILLS ?? effort(10, 500));

describe('a gateway that is killed at random instants under load', () => {
  const scratch = new Scratch();
  let result: ChaosResult;
  afterAll(() => scratch.clear());

  it(`sends nothing twice and loses nothing over ${kills} kills`, async () => {
    const run = await ChaosRun.start(scratch);
    await run.trade([kill], kills);
    result = await run.judge();
    process.stdout.write(result.summary);
    expect(result).toMatchObject(sound);
  });

  describeWith('python3')('by an independent checker (needs python3)', () => {
    it('has the same account in answers, audit log and broker', () => {
      const checked = result.check();
      process.stdout.write(checked.stdout);
      expect(checked).toMatchObject({ status: 0, stderr: '' });
    });
  });
});
