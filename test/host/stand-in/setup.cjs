// Stands in for an installer: a file that the host downloads, checks and runs. Its plan is put in by the test.
const { appendFileSync, copyFileSync, mkdirSync, readFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
const { dirname, join } = require('node:path');

const plan = PLAN;
const second = process.argv.includes('/second');
const log = join(process.env.TERMINAL_HOST_HOME, 'setups.txt');
if (!second) appendFileSync(log, `${process.pid} ${process.argv.slice(2).join(' ')}\n`);
const run = readFileSync(log, 'utf8').trim().split('\n').length;

const install = () => {
  mkdirSync(dirname(plan.executable), { recursive: true });
  copyFileSync(plan.terminal, plan.executable);
};
const deeds = {
  install,
  'hand over': () => spawn(process.execPath, [process.argv[1], '/second'], { detached: true, stdio: 'ignore' }).unref(),
  fail: () => process.exit(3),
  'do nothing': () => undefined,
  hang: () => setInterval(() => undefined, 60_000),
};
if (second) setTimeout(install, 500);
else deeds[plan.runs[run - 1] ?? plan.runs.at(-1)]();
