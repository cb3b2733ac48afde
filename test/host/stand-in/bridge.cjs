// Stands in for the bridge process: says how it was started, and stays.
const { appendFileSync } = require('node:fs');
const { join } = require('node:path');

const start = { arguments: process.argv.slice(2), token: process.env.TERMINAL_BRIDGE_TOKEN, environment: process.env };
appendFileSync(
  join(process.env.TERMINAL_HOST_HOME, 'bridge.jsonl'),
  `${JSON.stringify({ ...start, pid: process.pid })}\n`,
);
console.log(`bridge up with ${process.env.TERMINAL_BRIDGE_TOKEN}`);
setInterval(() => undefined, 60_000);
