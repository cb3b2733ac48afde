const { accessSync, constants, mkdtempSync, rmSync, statfsSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** Memory that looks like a disk, where the system has it: a flush costs nothing there. */
const memory = '/dev/shm';
/** Free bytes that a run may need. */
const roomBytes = 4 * 2 ** 30;

/** Gives a run of the tests a temporary folder of its own, for whatever they and the programs they start leave behind. */
exports.give = () => {
  if (process.env.TEST_TEMP_FOLDER) return;
  process.env.TEST_TEMP_FOLDER = process.env.TMPDIR = mkdtempSync(join(parent(), 'tests-'));
};

function parent() {
  if (process.env.TMPDIR) return tmpdir();
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= roomBytes ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Takes it away again; what a program that is just ending writes into it is waited for. */
exports.remove = () => {
  const folder = process.env.TEST_TEMP_FOLDER;
  delete process.env.TEST_TEMP_FOLDER;
  if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
};
