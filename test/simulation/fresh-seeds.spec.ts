import { testSeed } from '../setup/test-seed';
import { seededPlan } from './seeded-plan';
import { SimulationProcesses } from './simulation-processes';

/** Fresh with every change of the files; a failure names the seed that failed. */
const first = testSeed();
/** Real minutes of fresh seeds, half of them for the gateway and half for the daemon with its gateways. */
const realMinutes = Number(process.env['SIMULATION_MINUTES'] ?? '1');
/** Virtual minutes of a seed: short, so that a run has several. */
const minutes = 5;
/** A seed that began in time is run to its end. */
const lastSeedMs = 600_000;

describe(`from the seed ${first} on`, () => {
  const processes = new SimulationProcesses();
  afterAll(() => processes.end());

  it('gets a number of minutes', () => {
    expect(realMinutes).toBeGreaterThan(0);
  });

  it.each([
    ['the gateway', false],
    ['the daemon with its gateways', true],
  ] as const)(
    '%s holds every invariant',
    async (_, whole) => {
      const endMs = performance.now() + realMinutes * 30_000;
      let seed = first;
      do {
        const plan = seededPlan(seed, { whole, minutes, netting: false, profile: 'all' });
        const { violation } = await processes.run(plan, 1);
        const command = `npm run simulate -- --seed ${seed} --length ${minutes}${whole ? ' --whole' : ''}`;
        expect({ command, violation }).toEqual({ command, violation: null });
        seed += 1;
      } while (performance.now() < endMs);
    },
    realMinutes * 30_000 + lastSeedMs,
  );
});
