import { profileNamed, type Profile } from './profiles';
import { seededPlan } from './seeded-plan';

describe('the plan of a seed', () => {
  const profile = profileNamed('all') as Profile;
  const usual = { netting: false, minutes: 60, profile };

  it.each([
    ['the gateway', false],
    ['the daemon with its gateways', true],
  ])('is the same at a pace of 1 for %s', (_, whole) => {
    expect(seededPlan(3, { ...usual, whole, pace: 1 })).toEqual(seededPlan(3, { ...usual, whole }));
  });

  it.each([
    ['the gateway', false],
    ['the daemon with its gateways', true],
  ])('has about as many steps in eight hours at a pace of 8 as in one hour for %s', (_, whole) => {
    const sum = (plan: typeof usual & { pace?: number }): number =>
      [1, 2, 3, 4].reduce((count, seed) => count + seededPlan(seed, { ...plan, whole }).steps.length, 0);
    const steps = sum(usual);
    const paced = sum({ ...usual, minutes: 480, pace: 8 });
    expect(paced).toBeGreaterThan(0.7 * steps);
    expect(paced).toBeLessThan(1.4 * steps);
  });

  it.each([
    ['the gateway', false],
    ['the daemon with its gateways', true],
  ])('has no step after its length for %s: no fault would end', (_, whole) => {
    const plans = Array.from({ length: 40 }, (__, seed) => seededPlan(7_000 + seed, { ...usual, minutes: 20, whole }));
    const late = plans.flatMap(({ steps, lengthMs }) => steps.filter(({ atMs }) => atMs >= lengthMs));
    expect(late).toEqual([]);
  });
});
