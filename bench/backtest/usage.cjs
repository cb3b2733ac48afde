// Loaded into a measured process: writes what it used, with its child processes, to the file in BENCH_USAGE_FILE when it ends.
const { isMainThread } = require('node:worker_threads');
const { readdirSync, readFileSync, writeFileSync } = require('node:fs');

/** Clock ticks of /proc in a second: the same on every architecture of Linux that Node runs on. */
const ticksPerSecond = 100;

if (isMainThread && process.env.BENCH_USAGE_FILE) {
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6 + childSeconds();
    writeFileSync(process.env.BENCH_USAGE_FILE, JSON.stringify({ cpuSeconds, residentMib: maxRSS / 1_024 }));
  });
}

/** Of children that ended, and of those that still run, such as the bundler's. */
function childSeconds() {
  if (process.platform !== 'linux') return 0;
  const [, , ended] = statOf('self');
  const running = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter(([parent]) => parent === process.pid);
  return (ended + running.reduce((sum, [, own, theirs]) => sum + own + theirs, 0)) / ticksPerSecond;
}

/** Parent, own ticks, and ticks of children that ended. */
function statOf(name) {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return [fields[1], fields[11] + fields[12], fields[13] + fields[14]];
  } catch {
    return [0, 0, 0];
  }
}
