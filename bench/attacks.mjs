// `npm run bench -- attacks`: how long POST /kill takes while a client without the key attacks the gateway, beside the same
// gateway without an attack. Figures on the terminal and in .data/bench/attacks.json; nothing here passes or fails by time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { cpus, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { keep, StartedGateway } from './started-gateway.mjs';
import { markdown } from './table.mjs';

const seconds = Number(process.env.BENCH_SECONDS ?? 5);
/** As many connections as one process may have open on most systems. */
const many = Number(process.env.BENCH_CONNECTIONS ?? 1_000);
/** Between two calls. Each call writes a file and an audit line. */
const callEveryMs = 50;

const post = 'POST /order HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const burst = 'GET /apidocs/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_300);
const unfinishedBody = { bytes: `${post}Content-Length: 60000\r\n\r\n{`, trickle: ' ', reopenMs: 1_000 };
const slowHead = { bytes: 'POST /order HTTP/1.1\r\nHost: x\r\nX-', trickle: 'a', reopenMs: 1_000 };
const deepBody = { bytes: `${post}Content-Length: 20000\r\n\r\n${'['.repeat(20_000)}` };
const attacks = [
  { name: 'none' },
  { name: `${many} unfinished bodies`, connections: many, ...unfinishedBody },
  { name: `${many} slow heads`, connections: many, ...slowHead },
  { name: '1 burst of 1,300 requests at a time', connections: 1, bytes: burst },
  { name: '4 bursts of 1,300 requests at a time', connections: 4, bytes: burst },
  { name: '20 bursts of 1,300 requests at a time', connections: 20, bytes: burst },
  { name: '20 bodies of 20,000 levels at a time', connections: 20, ...deepBody },
];

const gateway = await StartedGateway.start({ LOG_LEVEL: 'ERROR' });
try {
  const results = [];
  for (const attack of attacks) results.push(await measure(attack));
  report(results);
} finally {
  await gateway.stop();
}

async function measure({ name, ...attack }) {
  const attacker = fork(new URL('./attacks/attacker.mjs', import.meta.url));
  attacker.send({ port: Number(new URL(gateway.url).port), connections: 0, ...attack });
  await pause(1_000);
  const before = await gateway.usage();
  const { times, failed, tookSeconds } = await callsOfKill();
  const after = await gateway.usage();
  attacker.send('report');
  const [{ made }] = await once(attacker, 'message');
  attacker.disconnect();
  await once(attacker, 'exit');
  await pause(1_000);
  process.stderr.write('.');
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return {
    ...{ name, made, calls: times.length + failed, failed },
    ...{ p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) },
    ...{ lagMaxMs: after.lagMaxMs, cpuShare: (after.cpuSeconds - before.cpuSeconds) / tookSeconds },
  };
}

async function callsOfKill() {
  const times = [];
  let failed = 0;
  const startMs = performance.now();
  while (performance.now() < startMs + seconds * 1_000) {
    await kill().then(
      (ms) => times.push(ms),
      () => (failed += 1),
    );
    await pause(callEveryMs);
  }
  return { times: times.sort((a, b) => a - b), failed, tookSeconds: (performance.now() - startMs) / 1_000 };
}

/** Milliseconds until the whole answer is there, on a connection of its own. */
async function kill() {
  const startMs = performance.now();
  const call = request(`${gateway.url}/kill`, { method: 'POST', headers: gateway.headers, agent: false });
  call.end();
  const [answer] = await once(call, 'response');
  answer.resume();
  await once(answer, 'end');
  if (answer.statusCode !== 200) throw new Error(`/kill answered ${answer.statusCode}`);
  return performance.now() - startMs;
}

function report(results) {
  const conditions = { node: process.version, processors: cpus().length, load: loadavg()[0], seconds };
  process.stderr.write('\n');
  const rows = results.map(({ name, made, calls, failed, p50Ms, p99Ms, maxMs, lagMaxMs, cpuShare }) => [
    ...[name, made, `${calls} (${failed})`, p50Ms.toFixed(1), p99Ms.toFixed(1), maxMs.toFixed(1)],
    ...[lagMaxMs.toFixed(0), cpuShare.toFixed(2)],
  ]);
  const head = [
    'attack',
    'connections',
    'calls (failed)',
    'p50 ms',
    'p99 ms',
    'max ms',
    'loop lag max ms',
    'processors',
  ];
  console.log(markdown([head, ...rows].map((row) => row.map(String))));
  console.log(`\nNode ${conditions.node}, ${conditions.processors} processors, load ${conditions.load.toFixed(1)}.`);
  keep('attacks', { conditions, results });
}
