const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** Gives a run of the tests a temporary folder of its own, for whatever they and the programs they start leave behind. */
exports.give = () => {
  if (process.env.TEST_TEMP_FOLDER) return;
  process.env.TEST_TEMP_FOLDER = process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'tests-'));
};

/** Takes it away again; what a program that is just ending writes into it is waited for. */
exports.remove = () => {
  const folder = process.env.TEST_TEMP_FOLDER;
  delete process.env.TEST_TEMP_FOLDER;
  if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
};
