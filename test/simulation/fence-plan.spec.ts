import { planOf } from './plan';

describe('the plans of strategies with leases', () => {
  const plans = Array.from({ length: 20 }, (_, seed) => planOf(seed, { minutes: 15, profile: 'operators' }));
  const isFenced = (step: (typeof plans)[number]['steps'][number]): boolean =>
    step.kind.startsWith('raise') || ('fence' in step && step.fence !== undefined);

  it('are those of some seeds', () => {
    const fenced = plans.filter(({ steps }) => steps.some(isFenced));
    expect(fenced.length).toBeGreaterThan(3);
    expect(fenced.length).toBeLessThan(14);
  });

  it('leave the numbers of all other steps as they are without leases', () => {
    for (const { steps } of plans) {
      const first = steps.find(isFenced)?.id ?? steps.length;
      const others = steps.filter(({ id }) => id < first);
      expect(others.some(isFenced)).toBe(false);
      expect(others.map(({ id }) => id)).toEqual(others.map((_, index) => index));
    }
  });
});
