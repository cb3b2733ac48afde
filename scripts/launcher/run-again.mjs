/** The files with a test that failed, for a second run. None when the run itself failed: there is more wrong than a test. */
export function filesToRunAgain({ problem, testResults = [] }) {
  return problem ? [] : testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/**
 * The results of a suite after the files that failed were run a second time.
 * @param first as runSuite gives them
 * @param second the same of the second run, of the files that failed only
 * @returns the results with each of these files as the second run left it, and `passedAgain`: the names of the tests that
 *   failed at first and not then, or of the file if no test of it had begun. They are reported, because a test that fails at times may have found a race.
 */
export function afterSecondRun(first, second) {
  if (second.problem) return { ...first, problem: `in the second run ${second.problem}` };
  const again = new Map((second.testResults ?? []).map((file) => [file.name, file]));
  const testResults = (first.testResults ?? []).map((file) => again.get(file.name) ?? file);
  const failedThen = new Set(failuresIn([...again.values()]));
  return {
    ...first,
    testResults,
    numPassedTests: testsOf(testResults, 'passed').length,
    numFailedTests: testsOf(testResults, 'failed').length,
    passedAgain: failuresIn(first.testResults).filter((name) => !failedThen.has(name)),
  };
}

function testsOf(testResults = [], wanted) {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(({ status }) => status === wanted).map(({ fullName }) => `${fullName}  (${name})`),
  );
}

/** The tests that failed, and the files that failed before their first test. */
function failuresIn(testResults = []) {
  return testResults.flatMap((file) => {
    const tests = testsOf([file], 'failed');
    return tests.length > 0 || file.status !== 'failed' ? tests : [file.name];
  });
}
