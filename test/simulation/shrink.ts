import { readyAtMs } from './steps';

interface AtInstant {
  readonly atMs: number;
}

/** A plan of any kind, as far as it can be made smaller. */
interface Steps {
  readonly lengthMs: number;
  readonly steps: readonly AtInstant[];
}

/** Whether a plan fails as the whole plan does. */
export type Fails<P> = (plan: P) => Promise<boolean>;

/** The first step of a plan whose beginning was dropped. */
const firstStepMs = 1_000;
const fewestLastSteps = 8;

/** The plan up to an instant, in virtual milliseconds since the start of the run: what comes later does not change it. */
export function until<P extends Steps>(plan: P, endMs: number): P {
  const steps = plan.steps.filter(({ atMs }) => readyAtMs + atMs <= endMs);
  return { ...plan, steps, lengthMs: Math.min(plan.lengthMs, Math.ceil(endMs) - readyAtMs + 1) };
}

/** What the wait before a step, or after the last one, is shortened to, if the plan still fails then. */
const shorterWaitsMs = [1_000, 10_000, 60_000] as const;

/**
 * Drops steps of a plan for as long as it still fails in the same way: first all but the last ones, then halves, then smaller
 * pieces. Then it shortens the waits before the steps that are left, and after them.
 * @param mostRuns ends the search
 */
export async function shrink<P extends Steps>(plan: P, fails: Fails<P>, mostRuns: number): Promise<P> {
  let runs = 0;
  const stillFails = (smaller: P): Promise<boolean> => {
    runs += 1;
    return fails(smaller);
  };
  let small: P = plan;
  for (let count = fewestLastSteps; count < plan.steps.length && runs < mostRuns; count *= 2) {
    const candidate = lastSteps(plan, count);
    if (!(await stillFails(candidate))) continue;
    small = candidate;
    break;
  }
  for (let size = Math.ceil(small.steps.length / 2); size >= 1 && runs < mostRuns; size = Math.floor(size / 2)) {
    for (let at = small.steps.length; at > 0 && runs < mostRuns; at -= size) {
      const rest: AtInstant[] = [...small.steps.slice(0, Math.max(0, at - size)), ...small.steps.slice(at)];
      if (rest.length === small.steps.length) continue;
      if (await stillFails({ ...small, steps: rest })) small = { ...small, steps: rest };
    }
  }
  for (let wait = 0; wait <= small.steps.length; wait++) {
    for (const waitMs of shorterWaitsMs) {
      const candidate = runs < mostRuns ? withWait(small, wait, waitMs) : null;
      if (candidate === null || !(await stillFails(candidate))) continue;
      small = candidate;
      break;
    }
  }
  return small;
}

/**
 * The plan with a shorter wait, and everything after it earlier.
 * @param wait index of the step after the wait; the number of steps for the wait after the last one
 * @returns null if the wait is not longer
 */
function withWait<P extends Steps>(plan: P, wait: number, waitMs: number): P | null {
  const untilMs = plan.steps[wait]?.atMs ?? plan.lengthMs;
  const earlierMs = untilMs - (plan.steps[wait - 1]?.atMs ?? 0) - waitMs;
  if (earlierMs <= 0) return null;
  const steps = plan.steps.map((step, index) => (index < wait ? step : { ...step, atMs: step.atMs - earlierMs }));
  return { ...plan, steps, lengthMs: plan.lengthMs - earlierMs };
}

/** The plan with its last steps alone, begun as much earlier as the time before them took. */
function lastSteps<P extends Steps>(plan: P, count: number): P {
  const last = plan.steps.slice(-count);
  const droppedMs = Math.max(0, (last[0]?.atMs ?? 0) - firstStepMs);
  return {
    ...plan,
    lengthMs: plan.lengthMs - droppedMs,
    steps: last.map((step) => ({ ...step, atMs: step.atMs - droppedMs })),
  };
}
