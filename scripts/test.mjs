// `npm test`: builds what the suites run, then runs all of them. `npm test -- e2e` runs the projects that are named.
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { createRequire } = await import('node:module');
const { buildWhatIsMissing } = await import('./launcher/build.mjs');
const { chosen } = await import('./launcher/chosen.mjs');
const { LaunchError, root } = await import('./launcher/commands.mjs');
const { installWhatIsMissing } = await import('./launcher/installation.mjs');
const { runSuite } = await import('./launcher/suite.mjs');
const { suiteSummary } = await import('./launcher/suite-summary.mjs');

// Whole products run in these: one file at a time, or they take each other's processor.
const alone = new Set(['order', 'contract', 'host', 'examples', 'chaos', 'wine', 'genuine']);
// These wait for their market more than they work: two at a time, whatever the machine has. With more, what is replayed
// many times faster than the clock would outrun the programs that trade on it.
const twoAtATime = new Set(['e2e', 'drills']);

// These want more of the system than a test run should ask for; they run when they are named.
const onDemand = new Set(['wine', 'genuine']);

try {
  await installWhatIsMissing();
  await buildWhatIsMissing();
  const results = [];
  for (const project of wantedProjects(process.argv.slice(2))) results.push(await runProject(project));
  const { text, isSound } = suiteSummary(results, { mustRunAll: Boolean(process.env.CI) });
  console.log(`\n${text}`);
  process.exitCode = isSound ? 0 : 1;
} catch (error) {
  console.error(error instanceof LaunchError ? error.message : error);
  process.exitCode = 1;
}

function wantedProjects(named) {
  const all = createRequire(import.meta.url)(`${root}/jest.config.js`).projects.map(({ displayName }) => displayName);
  const wanted = chosen(named, all, 'suite');
  return named.length > 0 ? wanted : wanted.filter((name) => !onDemand.has(name));
}

async function runProject(project) {
  console.log(`\n── ${project} ──`);
  const startedMs = performance.now();
  const result = await runSuite(project, { show: true, flags: workersOf(project) });
  return { ...result, seconds: Math.round((performance.now() - startedMs) / 1_000) };
}

function workersOf(project) {
  if (alone.has(project)) return ['--runInBand'];
  // Left to itself, Jest leaves one core alone: of two, that is half.
  return [twoAtATime.has(project) ? '--maxWorkers=2' : '--maxWorkers=100%'];
}
