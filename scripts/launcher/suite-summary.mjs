import { root } from './commands.mjs';

/**
 * What passed, what did not run, what passed only in a second run and, last, what failed by name.
 * @param results as runSuite gives them, each with the seconds it took
 * @param mustRunAll counts a test that did not run as failed: in CI everything is installed that a suite may need;
 *   a test that is optional even there has the status todo, and is only listed
 */
export function suiteSummary(results, { mustRunAll }) {
  const skipped = namesOf(results, 'pending');
  const failed = results.flatMap(failuresOf);
  if (mustRunAll) failed.push(...skipped.map((name) => `${name}  (did not run)`));
  const passed = results.reduce((sum, { numPassedTests = 0 }) => sum + numPassedTests, 0);
  const parts = [results.map(countsOf).join('\n')];
  const notRun = [...(mustRunAll ? [] : skipped), ...namesOf(results, 'todo')];
  if (notRun.length > 0) parts.push(`Not run here:\n${indented(notRun)}`);
  const passedAgain = results.flatMap(({ project, passedAgain: names = [] }) =>
    names.map((name) => `${project}: ${name.replace(`${root}/`, '')}`),
  );
  if (passedAgain.length > 0) parts.push(`Failed at first, passed when run again:\n${indented(passedAgain)}`);
  if (failed.length > 0) parts.push(`Failed:\n${indented(failed)}`);
  parts.push(`${passed} passed, ${failed.length} failed`);
  return { text: parts.join('\n\n'), isSound: failed.length === 0 };
}

function namesOf(results, wanted) {
  return results.flatMap(({ project, testResults = [] }) =>
    testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === wanted).map(({ fullName }) => `${project}: ${fullName}`),
    ),
  );
}

function failuresOf({ project, problem, testResults = [] }) {
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failing = assertionResults.filter((one) => one.status === 'failed').map((one) => one.fullName);
    const unread = status === 'failed' && failing.length === 0 ? [message.split('\n').find(Boolean) ?? 'failed'] : [];
    return [...failing, ...unread].map((what) => `${project}: ${what}  (${name.replace(`${root}/`, '')})`);
  });
  return problem ? [`${project}: ${problem}`, ...failures] : failures;
}

function countsOf({ project, numPassedTests = 0, numFailedTests = 0, seconds }) {
  const counts = [`${numPassedTests} passed`, `${numFailedTests} failed`, `${seconds} s`];
  return `${project.padEnd(10)}${counts.map((text) => text.padStart(14)).join('')}`;
}

function indented(names) {
  return names.map((name) => `  ${name}`).join('\n');
}
