import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcomeOf, tool } from './commands.mjs';

/** How long Jest may take to end once its results are written. Longer, and a test has left something open. */
const endsWithinMs = 20_000;

/**
 * Runs one project of the Jest configuration. Returns Jest's own results, what it printed unless that was shown, and
 * why the run itself failed, if it did: an end without results, or no end at all after them.
 */
export async function runSuite(project, { flags = [], show = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'test-results-'));
  const resultFile = join(folder, 'results.json');
  const wanted = ['--selectProjects', project, '--passWithNoTests', '--json', '--outputFile', resultFile, ...flags];
  let writtenAtMs;
  const hasHung = () => {
    if (existsSync(resultFile)) writtenAtMs ??= performance.now();
    return performance.now() - writtenAtMs > endsWithinMs;
  };
  const { code, output } = await outcomeOf(tool('jest/bin/jest.js', ...wanted), { show, hasHung });
  const result = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')) : undefined;
  rmSync(folder, { recursive: true });
  return { project, output, problem: problemOf(code, result), ...result };
}

function problemOf(code, result) {
  if (result === undefined) return `the runner ended with ${code} and without results`;
  if (code === 'SIGKILL') return 'the runner did not end and was killed: a test leaves something open';
  return code !== 0 && result.success ? `the runner ended with ${code}` : undefined;
}
