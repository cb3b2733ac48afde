import { testSeed } from '../setup/test-seed';
import { seededPlan } from './seeded-plan';
import { SimulationProcesses } from './simulation-processes';

/** Fresh with every change of the files; a failure names the seed that failed. */
const first = testSeed();
/** Real minutes of fresh seeds, half of them for the gateway, and the rest for one daemon and for several. */
const realMinutes = Number(process.env['SIMULATION_MINUTES'] ?? '1');
/** Virtual minutes of a seed: short, so that a run has several. */
const minutes = 5;
/** A seed that began in time is run to its end, also one of hours. */
const lastSeedMs = 900_000;

describe(`from the seed ${first} on`, () => {
  const processes = new SimulationProcesses();
  afterAll(() => processes.end());

  it('gets a number of minutes', () => {
    expect(realMinutes).toBeGreaterThan(0);
  });

  it.each([
    ['the gateway', '', 30_000],
    ['the daemon with its gateways', '--whole', 15_000],
    ['a fleet of daemons with their gateways', '--fleet', 15_000],
  ] as const)(
    '%s holds every invariant',
    async (_, option, share) => {
      const endMs = performance.now() + realMinutes * share;
      let seed = first;
      do {
        const scope = { whole: option === '--whole', fleet: option === '--fleet', netting: false };
        const plan = seededPlan(seed, { ...scope, minutes, profile: 'all' });
        const { violation } = await processes.run(plan, 1);
        const command = `npm run simulate -- --seed ${seed} --length ${minutes} ${option}`.trim();
        expect({ command, violation }).toEqual({ command, violation: null });
        seed += 1;
      } while (performance.now() < endMs);
    },
    realMinutes * 30_000 + lastSeedMs,
  );

  it.each([false, true])(
    'a broker without habits is believed at each look, and no read is refused; netting: %s',
    async (netting) => {
      const plan = seededPlan(first, { whole: false, fleet: false, netting, minutes, profile: 'none' });
      const { violation, figures } = await processes.run(plan, 1);
      const { unexplainedLooks, unavailable, looks } = figures.polite;
      const command = `npm run simulate -- --seed ${first} --length ${minutes} --profile none${netting ? ' --netting' : ''}`;
      const expected = { command, violation: null, unexplainedLooks: 0, unavailable: 0 };
      expect({ command, violation, unexplainedLooks, unavailable }).toEqual(expected);
      expect(looks).toBeGreaterThan(100);
    },
  );
});
