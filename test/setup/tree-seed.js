const { execFileSync } = require('node:child_process');
const { randomInt } = require('node:crypto');
const { join } = require('node:path');

/**
 * The seed of all random tests of a run, in the variable TEST_SEED. It follows from the files of the commit that is checked out:
 * each change is tested with cases of its own, and a run that is repeated finds the same. The long forms, and a tree
 * without git, draw one.
 */
function seedTests() {
  process.env.TEST_SEED ??= String((process.env.TEST_EFFORT === 'long' ? null : treeSeed()) ?? randomInt(2 ** 28));
}

/** The first 28 bits of the hash of the tree; null without git. */
function treeSeed() {
  try {
    const options = { cwd: join(__dirname, '../..'), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD^{tree}'], options).slice(0, 7), 16);
  } catch {
    return null;
  }
}

module.exports = { seedTests, treeSeed };
