import { planOf } from './plan';
import { runInChild } from './run-in-child';
import { SimulationProcesses } from './simulation-processes';
import { wholePlanOf } from './whole/whole-plan';
import type { WholePlan } from './whole/whole-steps';

describe('a run of the simulation', () => {
  it('is the same to the byte whenever its plan is run', async () => {
    const plan = planOf(11, { minutes: 4 });
    const [first, second] = await Promise.all([runInChild(plan, 1), runInChild(plan, 1)]);
    expect(second).toEqual(first);
    expect(first.traceLines).toBeGreaterThan(100);
  });

  it('is the same with the daemon and its gateways', async () => {
    const plan = wholePlanOf(9, { minutes: 1, profile: 'all' });
    const [first, second] = await Promise.all([runInChild(plan, 1), runInChild(plan, 1)]);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ violation: null });
    expect(first.figures.asks).toBeGreaterThan(3);
    // A second core of each strategy has replayed its events: it would have been a violation if it had decided otherwise.
    expect(first.figures.replayed).toBeGreaterThan(100);
  });

  it('is the same with several daemons that share leases', async () => {
    const plan = wholePlanOf(2, { minutes: 1, profile: 'all', fleet: true });
    const [first, second] = await Promise.all([runInChild(plan, 1), runInChild(plan, 1)]);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ violation: null });
    expect(first.figures.asks).toBeGreaterThan(3);
  });

  it('is the same with netting accounts, a portfolio, recorded prices and the end of summer time', async () => {
    const plan: WholePlan = {
      ...wholePlanOf(9, { minutes: 3, profile: 'all' }),
      ...{ gateways: 2, marginModes: ['netting', 'hedging'], portfolio: { maxDailyLoss: 500, maxDrawdownPct: 5 } },
      ...{ start: 'summer time ends', prices: 'recorded' },
    };
    const [first, second] = await Promise.all([runInChild(plan, 1), runInChild(plan, 1)]);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ violation: null });
    expect(first.figures.executed).toBeGreaterThan(3);
  });

  it.each([
    ['the gateway', planOf(12, { minutes: 2 }), planOf(11, { minutes: 2 })],
    [
      'the daemon with its gateways',
      wholePlanOf(8, { minutes: 1, profile: 'all' }),
      wholePlanOf(9, { minutes: 1, profile: 'all' }),
    ],
  ])('of %s is the same after a run of another plan in the same process', async (_, other, plan) => {
    const processes = new SimulationProcesses();
    try {
      await processes.run(other, 1);
      expect(await processes.run(plan, 1)).toEqual(await runInChild(plan, 1));
    } finally {
      processes.end();
    }
  });

  it('is another one for another seed', async () => {
    const [first, second] = await Promise.all([1, 2].map((seed) => runInChild(planOf(seed, { minutes: 2 }), 1)));
    expect(second?.digest).not.toBe(first?.digest);
  });
});
