// `npm test`: builds what the suites run, then runs all of them. `npm test -- e2e` runs the suites that are named, and
// `npm test -- apps/daemon/src/leases/units.spec.ts -t 'a name'` the tests of one file or folder.
// `--once` fails a test that fails, also where it could pass in a second run. `--half` runs one half of the files of the suites
// with whole programs; which one follows from the files of the commit.
import { helpIfAsked } from './launcher/help.mjs';
import { requireNode } from './launcher/node-version.mjs';

requireNode();
helpIfAsked(import.meta.url);
const { existsSync } = await import('node:fs');
const { createRequire } = await import('node:module');
const { buildWhatIsMissing } = await import('./launcher/build.mjs');
const { chosen } = await import('./launcher/chosen.mjs');
const { LaunchError, outcomeOf, root, tool } = await import('./launcher/commands.mjs');
const { installWhatIsMissing } = await import('./launcher/installation.mjs');
const { afterSecondRun, filesToRunAgain } = await import('./launcher/run-again.mjs');
const { runSuite } = await import('./launcher/suite.mjs');
const { suiteSummary } = await import('./launcher/suite-summary.mjs');
const { treeSeed } = createRequire(import.meta.url)('../test/setup/tree-seed.js');

// Whole products run in these: one file at a time, or they take each other's processor.
const alone = new Set(['contract', 'programs', 'wine']);
// These wait for their market more than they work: two at a time, whatever the machine has. With more, what is replayed
// many times faster than the clock would outrun the programs that trade on it.
const twoAtATime = new Set(['e2e', 'drills']);
// Several programs trade by the clock in these, and a machine that is busy with other things can be too slow for what a
// test waits for. A file that fails runs once more, alone, and is reported. Not the suites that look for races.
const byTheClock = new Set(['contract', 'programs', 'wine', 'e2e']);

// A change has time for one half of these, which differs from change to change; the nightly runs all of them.
const inHalves = new Set(['e2e', 'long', 'programs', 'wine', 'drills']);

// This wants more of the system than a test run should ask for; it runs when it is named.
const onDemand = new Set(['wine']);

/** Only the suites of these folders run the built programs. */
const runsBuilt = /^(\.\/)?test\/(?!simulation\/)/;

try {
  await installWhatIsMissing();
  const named = process.argv.slice(2);
  const isPath = named[0]?.includes('/') ?? false;
  process.exitCode = isPath ? await runPath(...named) : await runSuites(named);
} catch (error) {
  console.error(error instanceof LaunchError ? error.message : error);
  process.exitCode = 1;
}

/** The tests of one file or folder, in the suite that they belong to. @param flags of Jest */
async function runPath(path, ...flags) {
  if (!existsSync(`${root}/${path}`)) throw new LaunchError(`There is no file or folder ${path}.`);
  if (runsBuilt.test(path)) await buildWhatIsMissing();
  const wanted = path.endsWith('.ts') ? ['--runTestsByPath', path] : [path];
  const { code } = await outcomeOf(tool('jest/bin/jest.js', '--runInBand', ...wanted, ...flags), { show: true });
  return code === 0 ? 0 : 1;
}

async function runSuites(named) {
  await buildWhatIsMissing();
  const flags = { isOnce: named.includes('--once'), isHalf: named.includes('--half') };
  const results = [];
  for (const project of wantedProjects(named.filter((name) => name !== '--once' && name !== '--half')))
    results.push(await runProject(project, flags));
  const { text, isSound } = suiteSummary(results, { mustRunAll: Boolean(process.env.CI) });
  console.log(`\n${text}`);
  return isSound ? 0 : 1;
}

function wantedProjects(named) {
  const all = createRequire(import.meta.url)(`${root}/jest.config.js`).projects.map(({ displayName }) => displayName);
  const wanted = chosen(named, all, 'suite');
  return named.length > 0 ? wanted : wanted.filter((name) => !onDemand.has(name));
}

async function runProject(project, { isOnce, isHalf }) {
  const half = isHalf && inHalves.has(project) ? (Number(process.env.TEST_SEED ?? treeSeed() ?? 0) % 2) + 1 : null;
  console.log(`\n── ${project}${half === null ? '' : `, half ${half} of 2`} ──`);
  const startedMs = performance.now();
  const shard = half === null ? [] : [`--shard=${half}/2`];
  const first = await runSuite(project, { show: true, flags: [...workersOf(project), ...shard] });
  const again = byTheClock.has(project) && !isOnce ? filesToRunAgain(first) : [];
  const result = again.length === 0 ? first : afterSecondRun(first, await runAgain(project, again));
  return { ...result, seconds: Math.round((performance.now() - startedMs) / 1_000) };
}

function runAgain(project, files) {
  console.log(`\n── ${project}: the files that failed, once more ──`);
  return runSuite(project, { show: true, flags: ['--runInBand', '--runTestsByPath', ...files] });
}

function workersOf(project) {
  if (twoAtATime.has(project)) return ['--maxWorkers=2'];
  // Left to itself, Jest leaves one core alone: of two, that is half.
  return [alone.has(project) ? '--runInBand' : '--maxWorkers=100%'];
}
