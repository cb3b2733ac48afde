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

/**
 * Drops steps of a plan for as long as it still fails in the same way: first all but the last ones, then halves, then smaller
 * pieces.
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
  return small;
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
