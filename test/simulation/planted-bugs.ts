import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plantedBugs, readBug } from '../../scripts/simulation/planted-bug.cjs';
import type { AnyPlan } from './any-plan';
import { planOf } from './plan';
import { shrink, until } from './shrink';
import type { SimulationProcesses } from './simulation-processes';
import { wholePlanOf } from './whole/whole-plan';

/** A plan that finds a planted bug: with the bug it violates this invariant, without it none. */
export interface BugPlan {
  /** The seed that a search found it with; null for a plan that was written by hand. */
  readonly seed: number | null;
  readonly invariant: string;
  readonly plan: AnyPlan;
}

/** What a search for a planted bug came to. */
export interface Found extends BugPlan {
  readonly seed: number;
  readonly what: string;
}

export interface Search {
  readonly seeds: readonly number[];
  /** Virtual minutes of clients and faults in each seed. */
  readonly minutes: number;
  readonly shrinks: boolean;
}

const folder = join(__dirname, 'planted');
const mostShrinkingRuns = 80;

/**
 * Runs seeds with a planted bug until one violates an invariant that holds without it, and takes away the steps that the
 * violation does not need. The seed of the kept plan is the last.
 */
export async function findBug(
  bug: string,
  { seeds, minutes, shrinks }: Search,
  processes: SimulationProcesses,
): Promise<{ readonly found: Found | null; readonly seedsRun: number }> {
  const known = foundBugs().includes(bug) ? (await knownPlan(bug)).seed : null;
  let seedsRun = 0;
  for (const seed of new Set(known === null ? seeds : [...seeds, known])) {
    seedsRun += 1;
    const plan = planFor(bug, seed, minutes);
    const { violation, figures } = await processes.run(plan, 1, bug);
    if (!violation || (await processes.run(plan, 1)).violation) continue;
    const { invariant, what } = violation;
    const finds = async (smaller: AnyPlan): Promise<boolean> =>
      (await processes.run(smaller, 1, bug)).violation?.invariant === invariant;
    const needed = until(plan, figures.virtualMs);
    const small = shrinks ? await shrink(needed, finds, mostShrinkingRuns) : needed;
    return { seedsRun, found: { seed, what, invariant, plan: small } };
  }
  return { seedsRun, found: null };
}

/** The invariant that the kept plan violates with the bug, and not without it; null if there is none. */
export async function foundByPlan(bug: string, processes: SimulationProcesses): Promise<string | null> {
  if (!foundBugs().includes(bug)) return null;
  const { plan } = await knownPlan(bug);
  const { violation } = await processes.run(plan, 1, bug);
  if (!violation || (await processes.run(plan, 1)).violation) return null;
  return violation.invariant;
}

/** A plan of the programs that have the bug. */
function planFor(bug: string, seed: number, minutes: number): AnyPlan {
  const isIn = (folders: RegExp): boolean => readBug(bug).changes.some(({ file }) => folders.test(file));
  const fleet = isIn(/^(apps\/daemon\/src\/(leases\/|state\/unit-state)|libs\/(simulated-)?postgres\/)/);
  const { on } = readBug(bug);
  const whole = fleet || isIn(/^(apps\/daemon|libs\/gateway-client)\//);
  if (whole) return wholePlanOf(seed, { minutes, profile: 'all', fleet });
  return planOf(seed, {
    minutes,
    ...(on.includes('netting') ? { marginMode: 'netting' } : {}),
    ...(on.includes('end of a day') ? { start: 'end of a day' } : {}),
  });
}

/** The bugs that a kept plan finds. */
export function foundBugs(): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();
}

/** The plan that finds a bug. @throws Error when none is kept */
export async function knownPlan(bug: string): Promise<BugPlan> {
  return JSON.parse(await readFile(join(folder, `${bug}.json`), 'utf8')) as BugPlan;
}

/** Keeps the plan that finds a bug, for the tests. */
export async function keepPlan(bug: string, { seed, invariant, plan }: BugPlan): Promise<void> {
  await writeFile(join(folder, `${bug}.json`), `${JSON.stringify({ seed, invariant, plan })}\n`);
}

/** The planted bugs with these names; all of them without names. @throws RangeError for a name that there is not */
export function bugsNamed(names: readonly string[]): string[] {
  const all = plantedBugs();
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined) throw new RangeError(`there is no planted bug ${unknown}: ${all.join(', ')}`);
  return names.length === 0 ? all : [...names];
}
