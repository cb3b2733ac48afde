// `npm test`: builds what the suites run, then runs all of them. `npm test -- e2e` runs the projects that are named.
import { requireNode } from './launcher/node-version.mjs';

requireNode();
const { createRequire } = await import('node:module');
const { buildWhatIsMissing } = await import('./launcher/build.mjs');
const { chosen } = await import('./launcher/chosen.mjs');
const { LaunchError, root } = await import('./launcher/commands.mjs');
const { installWhatIsMissing } = await import('./launcher/installation.mjs');
const { runSuite } = await import('./launcher/suite.mjs');

// Whole products run in these: one file at a time, or they take each other's processor.
const alone = new Set(['contract', 'host', 'examples', 'chaos']);
// These wait for their market more than they work: two at a time, whatever the machine has. With more, what is replayed
// many times faster than the clock would outrun the programs that trade on it.
const twoAtATime = new Set(['e2e']);

// These want more of the system than a test run should ask for; they run when they are named.
const onDemand = new Set(['wine']);

try {
  await installWhatIsMissing();
  await buildWhatIsMissing();
  const results = [];
  for (const project of wantedProjects(process.argv.slice(2))) results.push(await runProject(project));
  process.exitCode = summary(results) ? 0 : 1;
} catch (error) {
  console.error(error instanceof LaunchError ? error.message : error);
  process.exitCode = 1;
}

function wantedProjects(named) {
  const all = createRequire(import.meta.url)(`${root}/jest.config.js`).projects.map(({ displayName }) => displayName);
  const wanted = chosen(named, all, 'suite');
  return named.length > 0 ? wanted : wanted.filter((name) => !onDemand.has(name));
}

function runProject(project) {
  console.log(`\n── ${project} ──`);
  return runSuite(project, { show: true, flags: workersOf(project) });
}

function workersOf(project) {
  if (alone.has(project)) return ['--runInBand'];
  // Left to itself, Jest leaves one core alone: of two, that is half.
  return [twoAtATime.has(project) ? '--maxWorkers=2' : '--maxWorkers=100%'];
}

/** Prints what passed, what failed by name and what did not run, and says whether all is well. */
function summary(results) {
  const count = (field) => results.reduce((sum, result) => sum + (result[field] ?? 0), 0);
  const broken = results.flatMap(({ project, problem, testResults = [] }) => [
    ...(problem ? [`${project}: ${problem}`] : []),
    ...testResults.flatMap(({ name, status, message, assertionResults }) => {
      const failing = assertionResults.filter((one) => one.status === 'failed').map((one) => one.fullName);
      const unread = status === 'failed' && failing.length === 0 ? [message.split('\n').find(Boolean) ?? 'failed'] : [];
      return [...failing, ...unread].map((what) => `${project}: ${what}  (${name.replace(`${root}/`, '')})`);
    }),
  ]);
  const skipped = results.flatMap(({ project, testResults = [] }) =>
    testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === 'pending').map(({ fullName }) => `${project}: ${fullName}`),
    ),
  );
  console.log('');
  for (const { project, numPassedTests = 0, numFailedTests = 0 } of results) {
    console.log(
      `${project.padEnd(10)} ${String(numPassedTests).padStart(6)} passed ${String(numFailedTests).padStart(6)} failed`,
    );
  }
  if (skipped.length > 0) console.log(`\nNot run here:\n${skipped.map((name) => `  ${name}`).join('\n')}`);
  if (broken.length > 0) console.log(`\nFailed:\n${broken.map((name) => `  ${name}`).join('\n')}`);
  console.log(`\n${count('numPassedTests')} passed, ${broken.length} failed`);
  return broken.length === 0;
}
