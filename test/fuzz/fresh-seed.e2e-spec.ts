import { testSeed } from '../setup/test-seed';
import { fuzzProgram, programs, type ProgramName } from './cli';

/** Fresh with every change of the files; a failure prints it. */
const seed = testSeed();
/** `.ci/nightly` sends 100,000. */
const requestsTo: Readonly<Record<ProgramName, number>> = { gateway: 1_500, daemon: 400, 'strategy-port': 400 };

describe(`with the seed ${seed}`, () => {
  it.each(Object.keys(programs) as ProgramName[])('the %s keeps every rule', async (program) => {
    const told: string[] = [];
    const requests = requestsTo[program];
    const isSound = await fuzzProgram({ program, seed, requests, shrinks: true }, (line) => told.push(line));
    expect(isSound ? '' : told.join('\n')).toBe('');
  });
});
