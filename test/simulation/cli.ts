import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { AnyPlan } from './any-plan';
import { searchForBugs } from './bug-search';
import { profileNamed, profiles } from './profiles';
import { seededPlan } from './seeded-plan';
import { shrink, until } from './shrink';
import { sideBySide } from './side-by-side';
import { noPoliteDay, type Figures, type PoliteDay, type RunResult } from './simulation';
import { SimulationProcesses } from './simulation-processes';

const usage = `usage: npm run simulate -- --seed N | --seeds A..B | --minutes M | --replay FILE
  --seed N        one seed, with the end of its trace
  --seeds A..B    all seeds from A to B
  --minutes M     fresh seeds for so many minutes
  --replay FILE   the plan in a file that a failure left behind
  --bugs [NAME...] each planted bug, on the seeds of --seeds (1..20), the one that is known to find it, and its plan, until
                  one finds it; keeps the shortest plan for the tests
  --length L      virtual minutes of clients and faults in each seed (60; 15 with --bugs, --whole and --fleet)
  --pace P        requests and faults P times more rarely, for seeds of many hours (1)
  --whole         the daemon and one to three gateways, in place of one gateway under bots
  --fleet         two or three daemons that share leases in a database, with their gateways
  --profile P     faults of one kind: ${profiles.join(', ')}
  --netting       accounts that keep one position a symbol; with --whole, some do without it
  --jobs J        seeds that run at a time (one for each core)
  --no-shrink     leave the plan of a failure as it is; with --bugs, keep no plan
  --page FILE     with --bugs: renew the table of bugs in a page
  --figures FILE  also write what was found to a file, in JSON`;

const folder = join(__dirname, '../../.build/simulation');
const mostShrinkingRuns = 150;
const shownLines = 60;

/** What is to be run. */
interface Wanted {
  readonly plans: Iterable<AnyPlan>;
  readonly showsTrace: boolean;
  readonly shrinks: boolean;
  /** Seeds that run at a time. */
  readonly jobs: number;
  /** Where the figures are written; null: nowhere. */
  readonly figuresFile: string | null;
}

/** The command. @returns its exit code: 1 when an invariant was violated, 2 for arguments that it does not understand */
export async function simulate(values: readonly string[]): Promise<number> {
  if (values.includes('--help')) {
    say(usage);
    return 0;
  }
  try {
    return values.includes('--bugs') ? await searchForBugs(values, say) : await runPlans(values);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_'))) throw error;
    process.stderr.write(`${error.message}\n${usage}\n`);
    return 2;
  }
}

async function runPlans(values: readonly string[]): Promise<number> {
  const wanted = await readWanted(values);
  if (!wanted) {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const startMs = performance.now();
  const sums = new Sums();
  let failures = 0;
  const processes = new SimulationProcesses();
  await sideBySide(wanted.plans, wanted.jobs, async (plan) => {
    const beganMs = performance.now();
    const result = await processes.run(plan, shownLines);
    sums.add(result.figures);
    const realMs = performance.now() - beganMs;
    say(
      `seed ${plan.seed}: ${result.violation ? 'VIOLATION' : 'held'}; ${words(result.figures)}; ${speed(result.figures, realMs)}`,
    );
    if (wanted.showsTrace) say(`${result.lastLines.join('\n')}\ndigest ${result.digest}, ${result.traceLines} lines`);
    if (!result.violation) return;
    failures += 1;
    await report(plan, result, wanted, processes);
  });
  processes.end();
  say(
    `${sums.runs} seeds, ${failures} with a violation; ${words(sums.figures)}; ${speed(sums.figures, performance.now() - startMs)}`,
  );
  say(`faults: ${faultsIn(sums.figures)}`);
  if (sums.figures.polite.looks > 0) say(`without a fault: ${politeWords(sums.figures.polite)}`);
  if (wanted.figuresFile !== null) {
    await writeFile(wanted.figuresFile, JSON.stringify({ seeds: sums.runs, violations: failures, ...sums.figures }));
  }
  return failures === 0 ? 0 : 1;
}

async function readWanted(given: readonly string[]): Promise<Wanted | null> {
  const { values } = parseArgs({
    args: [...given],
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string' },
      minutes: { type: 'string' },
      replay: { type: 'string' },
      length: { type: 'string' },
      pace: { type: 'string', default: '1' },
      whole: { type: 'boolean', default: false },
      fleet: { type: 'boolean', default: false },
      profile: { type: 'string', default: 'all' },
      netting: { type: 'boolean', default: false },
      jobs: { type: 'string', default: String(availableParallelism()) },
      'no-shrink': { type: 'boolean', default: false },
      figures: { type: 'string' },
    },
  });
  const figuresFile = values.figures ?? null;
  const { whole, fleet, netting } = values;
  const profile = profileNamed(values.profile);
  const minutes = Number(values.length ?? (whole || fleet ? 15 : 60));
  if (profile === null) return null;
  const make = (seed: number): AnyPlan =>
    seededPlan(seed, { whole, fleet, netting, minutes, profile, pace: Number(values.pace) });
  const shrinks = !values['no-shrink'];
  const jobs = Number(values.jobs);
  if (!(minutes > 0) || !(Number.isInteger(jobs) && jobs > 0)) return null;
  if (values.replay !== undefined) {
    const { plan } = JSON.parse(await readFile(values.replay, 'utf8')) as { readonly plan: AnyPlan };
    return { plans: [plan], showsTrace: true, shrinks: false, jobs, figuresFile };
  }
  if (values.seed !== undefined && /^\d+$/.test(values.seed)) {
    return { plans: [make(Number(values.seed))], showsTrace: true, shrinks, jobs, figuresFile };
  }
  const range = /^(\d+)\.\.(\d+)$/.exec(values.seeds ?? '');
  if (range)
    return {
      plans: plansOf(Number(range[1]), make, (seed) => seed <= Number(range[2])),
      showsTrace: false,
      shrinks,
      jobs,
      figuresFile,
    };
  const length = Number(values.minutes);
  if (!(length > 0)) return null;
  const first = Math.floor(Date.now() / 1_000);
  const endMs = performance.now() + length * 60_000;
  return {
    plans: plansOf(first, make, () => performance.now() < endMs),
    showsTrace: false,
    shrinks,
    jobs,
    figuresFile,
  };
}

function* plansOf(
  first: number,
  make: (seed: number) => AnyPlan,
  goesOn: (seed: number) => boolean,
): Iterable<AnyPlan> {
  for (let seed = first; goesOn(seed); seed++) yield make(seed);
}

/** Prints a failure with the fewest steps that still lead to it, and writes them to a file. */
async function report(
  plan: AnyPlan,
  result: RunResult,
  { shrinks, showsTrace }: Wanted,
  processes: SimulationProcesses,
): Promise<void> {
  const { violation } = result;
  if (!violation) return;
  say(`  ${violation.invariant}: ${violation.what}`);
  const fails = async (smaller: AnyPlan): Promise<boolean> =>
    (await processes.run(smaller, 1)).violation?.invariant === violation.invariant;
  const needed = until(plan, result.figures.virtualMs);
  const small = shrinks ? await shrink(needed, fails, mostShrinkingRuns) : plan;
  const last = shrinks ? await processes.run(small, shownLines) : result;
  await mkdir(folder, { recursive: true });
  const file = join(folder, `seed-${plan.seed}.json`);
  await writeFile(
    file,
    `${JSON.stringify({ violation: last.violation, plan: small, trace: last.lastLines }, null, 2)}\n`,
  );
  if (shrinks) say(`  with ${small.steps.length} of ${plan.steps.length} steps:`);
  if (shrinks || !showsTrace) say(last.lastLines.map((line) => `  ${line}`).join('\n'));
  say(`  to run it again: npm run simulate -- --replay ${file}`);
}

class Sums {
  runs = 0;
  figures: Figures = {
    virtualMs: 0,
    requests: 0,
    asks: 0,
    sends: 0,
    executed: 0,
    kills: 0,
    starts: 0,
    replayed: 0,
    faults: {},
    polite: noPoliteDay,
  };

  add(figures: Figures): void {
    this.runs += 1;
    const sum = (name: Exclude<keyof Figures, 'faults' | 'polite'>): number => this.figures[name] + figures[name];
    const faults = { ...this.figures.faults };
    for (const [kind, count] of Object.entries(figures.faults)) faults[kind] = (faults[kind] ?? 0) + count;
    this.figures = {
      virtualMs: sum('virtualMs'),
      requests: sum('requests'),
      asks: sum('asks'),
      sends: sum('sends'),
      executed: sum('executed'),
      kills: sum('kills'),
      starts: sum('starts'),
      replayed: sum('replayed'),
      faults,
      polite: sumOf(this.figures.polite, figures.polite),
    };
  }
}

function sumOf(one: PoliteDay, other: PoliteDay): PoliteDay {
  const names = ['looks', 'unexplainedLooks', 'unexplainedMs', 'reads', 'unavailable'] as const;
  return { ...one, ...Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) };
}

function politeWords({ looks, unexplainedLooks, unexplainedMs, reads, unavailable }: PoliteDay): string {
  return `${unexplainedLooks} of ${looks} looks unexplained, for ${unexplainedMs / 1_000} s; 503 for ${unavailable} requests, beside ${reads} reads`;
}

function words({ virtualMs, requests, asks, sends, executed, kills, starts }: Figures): string {
  const hours = (virtualMs / 3_600_000).toFixed(2);
  return `${hours} virtual h, ${requests} requests for ${asks} keys, ${sends} sends (${executed} done), ${kills} crashes, ${starts} starts`;
}

function faultsIn({ faults }: Figures): string {
  const kinds = Object.entries(faults).sort(([one], [other]) => one.localeCompare(other));
  return kinds.map(([kind, count]) => `${count} × ${kind}`).join(', ') || 'none';
}

function speed({ virtualMs }: Figures, realMs: number): string {
  return `${(realMs / 1_000).toFixed(1)} s, ${Math.round(virtualMs / realMs)} virtual s each`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
