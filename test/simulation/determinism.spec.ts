import { planOf } from './plan';
import { runInChild } from './run-in-child';
import { wholePlanOf } from './whole/whole-plan';
import type { WholePlan } from './whole/whole-steps';

describe('a run of the simulation', () => {
  it('is the same to the byte whenever its plan is run', async () => {
    const plan = planOf(11, { minutes: 10 });
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

  it('is another one for another seed', async () => {
    const [first, second] = await Promise.all([1, 2].map((seed) => runInChild(planOf(seed, { minutes: 2 }), 1)));
    expect(second?.digest).not.toBe(first?.digest);
  });
});
