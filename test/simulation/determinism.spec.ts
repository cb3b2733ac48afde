import { planOf } from './plan';
import { runInChild } from './run-in-child';
import { SimulationProcesses } from './simulation-processes';
import { wholePlanOf } from './whole/whole-plan';
import type { WholePlan } from './whole/whole-steps';

describe('a run of the simulation', () => {
  const processes = new SimulationProcesses();
  afterAll(() => processes.end());

  it('is the same to the byte whenever its plan is run, also after another one in the same process', async () => {
    const plan = planOf(11, { minutes: 4 });
    const [fresh, other] = await Promise.all([runInChild(plan, 1), processes.run(planOf(12, { minutes: 2 }), 1)]);
    expect(await processes.run(plan, 1)).toEqual(fresh);
    expect(fresh.traceLines).toBeGreaterThan(100);
    expect(other.digest).not.toBe(fresh.digest);
  });

  it('is the same with the daemon and its gateways, also after another one in the same process', async () => {
    const plan = wholePlanOf(9, { minutes: 1, profile: 'all' });
    const [fresh] = await Promise.all([
      runInChild(plan, 1),
      processes.run(wholePlanOf(8, { minutes: 1, profile: 'all' }), 1),
    ]);
    expect(await processes.run(plan, 1)).toEqual(fresh);
    expect(fresh).toMatchObject({ violation: null });
    expect(fresh.figures.asks).toBeGreaterThan(3);
    // A second core of each strategy and gateway has replayed its events: it would have been a violation if it had decided otherwise.
    expect(fresh.figures.replayed).toBeGreaterThan(100);
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
});
