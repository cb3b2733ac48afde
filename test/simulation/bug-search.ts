import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { bugsNamed, findBug, foundByPlan, keepPlan, type Found } from './planted-bugs';
import { sideBySide } from './side-by-side';
import { SimulationProcesses } from './simulation-processes';

/** What the search for one bug came to. */
export interface BugSearch {
  readonly bug: string;
  /** Seeds that were run until one found the bug, or all. */
  readonly seedsRun: number;
  readonly found: Found | null;
  /** The invariant that the kept plan violates, when no seed found the bug; null when the plan does not find it either. */
  readonly planInvariant: string | null;
}

/**
 * Searches for each planted bug with seeds, and runs the kept plan of a bug that no seed found.
 * @returns 1 when a bug was found by neither
 */
export async function searchForBugs(given: readonly string[], say: (text: string) => void): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...given],
    allowPositionals: true,
    options: {
      bugs: { type: 'boolean' },
      seeds: { type: 'string', default: '1..20' },
      length: { type: 'string', default: '15' },
      jobs: { type: 'string', default: String(availableParallelism()) },
      page: { type: 'string' },
      figures: { type: 'string' },
      'no-shrink': { type: 'boolean', default: false },
    },
  });
  const shrinks = !values['no-shrink'];
  const [first = 1, last = 20] = values.seeds.split('..').map(Number);
  const seeds = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const processes = new SimulationProcesses();
  const searches: BugSearch[] = [];
  await sideBySide(bugsNamed(positionals), Number(values.jobs), async (bug) => {
    const beganMs = performance.now();
    const { found, seedsRun } = await findBug(bug, { seeds, minutes: Number(values.length), shrinks }, processes);
    if (found && shrinks) await keepPlan(bug, found);
    const search = { bug, seedsRun, found, planInvariant: found ? null : await foundByPlan(bug, processes) };
    searches.push(search);
    say(`${bug}: ${outcomeOf(search)} (${((performance.now() - beganMs) / 1_000).toFixed(0)} s)`);
  });
  processes.end();
  if (values.page !== undefined) await renewTable(values.page, searches);
  if (values.figures !== undefined) {
    const bySeed = searches.filter(({ found }) => found !== null);
    const byPlan = searches.filter(({ planInvariant }) => planInvariant !== null);
    const figures = { bugs: searches.length, bySeed: bySeed.length, byPlan: byPlan.length, seeds: seeds.length };
    await writeFile(values.figures, JSON.stringify(figures));
  }
  return searches.every(({ found, planInvariant }) => found ?? planInvariant) ? 0 : 1;
}

function outcomeOf({ found, seedsRun, planInvariant }: BugSearch): string {
  if (found) {
    const { seed, plan, invariant, what } = found;
    return `found by seed ${seed}, the ${seedsRun}. that was run, with ${plan.steps.length} steps: ${invariant}: ${what}`;
  }
  if (planInvariant) return `not found by ${seedsRun} seeds; found by its plan: ${planInvariant}`;
  return `NOT FOUND by ${seedsRun} seeds, nor by a plan`;
}

/**
 * The bugs by what they violate, each with the number of seeds that found it, in Markdown.
 * @param searches in any order
 */
export function bugTable(searches: readonly BugSearch[]): string {
  const byInvariant = new Map<string, string[]>();
  for (const search of [...searches].sort((one, other) => one.bug.localeCompare(other.bug))) {
    const invariant = search.found?.invariant ?? search.planInvariant ?? 'not found';
    byInvariant.set(invariant, [...(byInvariant.get(invariant) ?? []), `\`${search.bug}\` ${seedsNeeded(search)}`]);
  }
  const rows = [...byInvariant]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([invariant, bugs]) => `| ${invariant} | ${bugs.join(', ')} |`);
  return ['| violates | bugs |', '|---|---|', ...rows].join('\n');
}

function seedsNeeded({ found, seedsRun, planInvariant }: BugSearch): string {
  if (found) return String(seedsRun);
  return planInvariant ? 'plan' : '-';
}

/** Replaces the table of bugs in a page. @throws Error when the page has none */
async function renewTable(page: string, searches: readonly BugSearch[]): Promise<void> {
  const text = await readFile(page, 'utf8');
  const table = /^\| violates \| bugs \|\n(\|.*\n)+/m;
  if (!table.test(text)) throw new Error(`${page} has no table of bugs`);
  await writeFile(
    page,
    text.replace(table, () => `${bugTable(searches)}\n`),
  );
}
