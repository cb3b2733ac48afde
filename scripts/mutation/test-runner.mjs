// Runs the unit tests of one folder, MUTATED_FOLDER, in one process that has loaded them once. With a process, or only a Jest, for each
// change, most of the time would go into loading the same files again. These tests have no state outside themselves.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';

// A global variable says which of the changes in the code is made.
const changes = (globalThis.__stryker__ ??= {});

/** Cases of a property at most. */
const mostCases = Number(process.env.MUTATED_CASES);

class UnitTests {
  #require = null;
  #tests = new Map();

  capabilities() {
    return { reloadEnvironment: true };
  }

  init() {
    // The folder of this process is now a copy of the repository, with all changes in it.
    this.#require = createRequire(join(process.cwd(), 'package.json'));
    this.#require('./scripts/simulation/load-typescript.cjs');
    const { describe, it, beforeEach } = this.#require('jest-circus');
    const fc = this.#require('fast-check');
    // A changed program only has to fail; what is the smallest case that shows it does not matter.
    fc.configureGlobal({ seed: 1, endOnFailure: true });
    const assert = (property, { numRuns = 100, ...how } = {}) =>
      fc.assert(property, { ...how, numRuns: Math.min(numRuns, mostCases) });
    const exports = { ...fc, assert };
    this.#require.cache[this.#require.resolve('fast-check')].exports = {
      ...exports,
      default: exports,
      __esModule: true,
    };
    Object.assign(globalThis, { describe, it, beforeEach, expect: this.#require('expect').expect });
  }

  async dryRun() {
    this.#load();
    const tests = [];
    for (const [id, test] of this.#tests) {
      changes.currentTestId = id;
      const failure = await failureOf(test);
      const found = { id, name: id, timeSpentMs: Math.round(test.ms) };
      tests.push(failure ? { ...found, status: 1, failureMessage: failure } : { ...found, status: 0 });
    }
    changes.currentTestId = undefined;
    return { status: 'complete', tests, mutantCoverage: changes.mutantCoverage };
  }

  async mutantRun({ activeMutant, mutantActivation, reloadEnvironment, testFilter, hitLimit }) {
    Object.assign(changes, { hitCount: 0, hitLimit, activeMutant: undefined });
    if (mutantActivation === 'static') changes.activeMutant = activeMutant.id;
    try {
      if (reloadEnvironment || this.#tests.size === 0) this.#load();
    } catch (error) {
      this.#tests.clear();
      return { status: 'killed', killedBy: [], failureMessage: String(error), nrOfTests: 0 };
    }
    changes.activeMutant = activeMutant.id;
    const covering = (testFilter ?? [...this.#tests.keys()]).map((id) => [id, this.#tests.get(id)]);
    let nrOfTests = 0;
    // The short ones first: most changes are noticed by those, so that the property tests need not run.
    for (const [id, test] of covering.sort(([, a], [, b]) => a.ms - b.ms)) {
      const failureMessage = await failureOf(test);
      nrOfTests += 1;
      if (changes.hitCount > hitLimit) return { status: 'timeout' };
      if (failureMessage) return { status: 'killed', killedBy: [id], failureMessage, nrOfTests };
    }
    return { status: 'survived', nrOfTests };
  }

  #load() {
    const { getState, resetState } = this.#require('jest-circus');
    for (const file of Object.keys(this.#require.cache)) {
      if (!file.includes(`${sep}node_modules${sep}`) && !file.endsWith('.cjs')) delete this.#require.cache[file];
    }
    this.#tests.clear();
    const folder = process.env.MUTATED_FOLDER;
    const specs = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.spec.ts'));
    for (const spec of specs.sort()) {
      resetState();
      this.#require(`./${folder}/${spec}`);
      collect(getState().rootDescribeBlock, spec, [], this.#tests);
    }
  }
}

function collect({ children, hooks }, name, outer, tests) {
  const before = [...outer, ...hooks.filter(({ type }) => type === 'beforeEach').map(({ fn }) => fn)];
  for (const child of children) {
    const childName = `${name} ${child.name}`;
    if (child.type === 'describeBlock') collect(child, childName, before, tests);
    else tests.set(`${tests.size} ${childName}`, { before, run: child.fn, ms: 0 });
  }
}

/** Runs a test, and notes how long it takes if it passes. @returns null then */
async function failureOf(test) {
  const startedAt = performance.now();
  try {
    for (const prepare of test.before) await prepare();
    await test.run();
    test.ms = performance.now() - startedAt;
    return null;
  } catch (error) {
    return String(error);
  }
}

const create = () => new UnitTests();
create.inject = [];
export const strykerPlugins = [{ kind: 'TestRunner', name: 'unit-tests', factory: create }];
