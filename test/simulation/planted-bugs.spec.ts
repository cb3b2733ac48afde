import { plantedBugs } from '../../scripts/simulation/planted-bug.cjs';
import { effort } from '../setup/effort';
import { testSeed } from '../setup/test-seed';
import { foundBugs, knownPlan } from './planted-bugs';
import { SimulationProcesses } from './simulation-processes';

/** A run has every twelfth of them, others with each change of the files; the long form has all. */
const share = effort(12, 1);
const chosen = foundBugs().filter((_, index) => index % share === testSeed() % share);

/** The simulation has to be able to fail: each known bug is found on a plan that the product as it is passes. */
describe('a planted bug', () => {
  const processes = new SimulationProcesses();
  afterAll(() => processes.end());

  // Each runs in processes of its own: two at a time, by maxConcurrency in jest.config.js.
  it.concurrent.each(chosen)('%s is found on its plan', async (bug) => {
    const { plan, invariant } = await knownPlan(bug);
    expect((await processes.run(plan, 1, bug)).violation).toMatchObject({ invariant });
    expect((await processes.run(plan, 1)).violation).toBeNull();
  });

  it('has a plan that finds it', () => {
    expect(foundBugs()).toEqual(plantedBugs());
  });
});
