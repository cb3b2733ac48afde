// Loaded into a measured process: writes what it used to the file in BENCH_USAGE_FILE when it ends.
const { isMainThread } = require('node:worker_threads');
const { writeFileSync } = require('node:fs');

if (isMainThread && process.env.BENCH_USAGE_FILE) {
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const figures = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, residentMib: maxRSS / 1_024 };
    writeFileSync(process.env.BENCH_USAGE_FILE, JSON.stringify(figures));
  });
}
