import { planOf } from './plan';
import { shrink, until } from './shrink';
import { readyAtMs } from './steps';

describe('shrinking a plan', () => {
  it('leaves the steps that the failure needs', async () => {
    const plan = planOf(1, { minutes: 20 });
    const needed = [7, 30];
    const fails = async ({ steps }: typeof plan): Promise<boolean> =>
      needed.every((id) => steps.some((step) => step.id === id));
    const small = await shrink(plan, fails, 1_000);
    expect(small.steps.map(({ id }) => id)).toEqual(needed);
  });

  it('shortens the waits before the steps and after them as far as the failure allows', async () => {
    const steps = [0, 1, 2].map((id) => ({ id, atMs: 100_000 + id * 40_000 }));
    const fails = async (plan: { readonly steps: readonly { readonly atMs: number }[] }): Promise<boolean> => {
      const [first, second] = plan.steps.map(({ atMs }) => atMs);
      return plan.steps.length === 3 && (second ?? 0) - (first ?? 0) >= 5_000;
    };
    const small = await shrink({ lengthMs: 900_000, steps }, fails, 1_000);
    expect(small.steps.map(({ atMs }) => atMs)).toEqual([1_000, 11_000, 12_000]);
    expect(small.lengthMs).toBe(13_000);
  });

  it('ends after so many runs', async () => {
    let runs = 0;
    const plan = planOf(1, { minutes: 20 });
    const fails = async (): Promise<boolean> => ++runs < 0;
    expect((await shrink(plan, fails, 10)).steps).toEqual(plan.steps);
    expect(runs).toBe(10);
  });

  it('tries the last steps alone first, begun earlier', async () => {
    const plan = planOf(1, { minutes: 20 });
    const last = plan.steps.slice(-8);
    const small = await shrink(plan, async ({ steps }) => steps.length >= 8, 1);
    expect(small.steps.map(({ id }) => id)).toEqual(last.map(({ id }) => id));
    const droppedMs = (last[0]?.atMs ?? 0) - 1_000;
    expect(small.steps.map(({ atMs }) => atMs)).toEqual(last.map(({ atMs }) => atMs - droppedMs));
    expect(small.lengthMs).toBe(plan.lengthMs - droppedMs);
  });

  it('begins with what came before the failure', () => {
    const plan = planOf(1, { minutes: 20 });
    const endMs = readyAtMs + (plan.steps[2]?.atMs ?? 0);
    const small = until(plan, endMs);
    expect(small.steps.map(({ id }) => id)).toEqual([0, 1, 2]);
    expect(small.lengthMs).toBe(endMs - readyAtMs + 1);
  });
});
