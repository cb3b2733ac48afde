import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Prints each check as it is made, and the sum at the end. */
export class Report {
  passed = 0;
  failed = 0;

  pass(what) {
    this.passed += 1;
    console.log(`  ok    ${what}`);
  }

  fail(what) {
    this.failed += 1;
    console.log(`  FAIL  ${what}`);
  }

  check(what, holds, detail = '') {
    if (holds) this.pass(what);
    else this.fail(`${what}${detail === '' ? '' : `\n${String(detail).slice(-3_000)}`}`);
    return Boolean(holds);
  }

  figure(what) {
    console.log(`        ${what}`);
  }

  notRun(what) {
    console.log(`  not run here: ${what}`);
  }

  /** Runs a program to its end; a check of its own that it succeeds. Returns its standard output. */
  run(what, file, args, options = {}) {
    const started = performance.now();
    const run = spawnSync(file, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, cwd: root, ...options });
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    this.check(`${what} (${seconds} s)`, run.status === 0, `${run.stdout}\n${run.stderr}${run.error ?? ''}`);
    return run.status === 0 ? run.stdout : undefined;
  }

  /** Returns the exit code. */
  end() {
    console.log(`\n${this.passed} passed, ${this.failed} failed`);
    return this.failed === 0 && this.passed > 0 ? 0 : 1;
  }
}
