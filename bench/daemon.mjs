// 300 strategies on 20 symbols in one daemon, trading through one gateway on the simulated broker: from tick to
// submission, memory per strategy, and the control port while one strategy loops forever. Nothing here passes or fails
// by time; it fails when the money does not add up.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { books } from './daemon/books.mjs';
import { probe } from './daemon/control-port-probe.mjs';
import { stageFigures } from './daemon/percentiles.mjs';
import { report } from './daemon/report.mjs';
import { pause, StartedDaemon } from './daemon/started-daemon.mjs';
import { spinner, writeConfig, writeStrategies, writeSymbols } from './daemon/world.mjs';
import { keep, StartedGateway } from './started-gateway.mjs';

const setting = (name, fallback) => Number(process.env[name] ?? fallback);
const plan = {
  strategies: setting('BENCH_STRATEGIES', 300),
  symbols: setting('BENCH_SYMBOLS', 20),
  /** Market seconds in a second: bars have to close in a bench. */
  speed: setting('BENCH_SPEED', 10),
  /** Seconds between the orders of one strategy. */
  orderEverySeconds: setting('BENCH_ORDER_SECONDS', 20),
  /** Memory is what each further strategy adds to these. */
  fewStrategies: setting('BENCH_FEW_STRATEGIES', 10),
  /** At most; those that are not deployed by then count for nothing. */
  deploySeconds: setting('BENCH_DEPLOY_SECONDS', 85),
  tradeSeconds: setting('BENCH_SECONDS', 30),
  spinSeconds: setting('BENCH_SPIN_SECONDS', 15),
};
const stages = ['tick_to_strategy', 'strategy', 'signal_to_submission', 'tick_to_submission', 'submission_to_fill'];
const folder = mkdtempSync(join(tmpdir(), 'bench-daemon-'));
const symbols = writeSymbols(folder, plan.symbols);
let gateway;
let daemon;
try {
  writeStrategies(folder);
  gateway = await StartedGateway.start({
    SIM_SYMBOLS: symbols.file,
    SIM_SPEED: String(plan.speed),
    SIM_BALANCE: '10000000',
    SIM_HISTORY_DAYS: '7',
  });
  const figures = await measure(await measureFew());
  console.log(report(figures));
  keep('daemon', figures);
  if (!figures.books.agree) process.exitCode = 1;
} finally {
  await daemon?.stop();
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** A few strategies show how much memory the daemon needs anyway, and how long it may take to deploy all. */
async function measureFew() {
  const strategies = Math.min(plan.fewStrategies, plan.strategies - 1);
  const { seconds } = await deploy(strategies, { fromMs: 0, untilMs: 0 }, 20);
  await pause(3_000);
  const { residentMib } = await daemon.usage();
  await daemon.stop();
  return { strategies, seconds, residentMib };
}

async function measure(few) {
  const tradeMs = (plan.tradeSeconds + plan.spinSeconds) * 1_000 * plan.speed;
  const deploySeconds = Math.min(
    plan.deploySeconds,
    Math.ceil(5 + (2 * few.seconds * plan.strategies) / few.strategies),
  );
  const fromMs = (await marketMs()) + deploySeconds * 1_000 * plan.speed;
  const window = { fromMs: Math.round(fromMs), untilMs: Math.round(fromMs + tradeMs) };
  const deployed = await deploy(plan.strategies, window, deploySeconds);
  const before = await gateway.json('/account');
  while ((await marketMs()) < fromMs) await pause(100);

  const trading = await phase(plan.tradeSeconds);
  const latency = await daemon.json('/latency');
  await letOneSpin();
  const spinning = await phase(plan.spinSeconds);
  return {
    node: process.version,
    processors: cpus().length,
    load: loadavg()[0],
    plan,
    deployed,
    memory: { few, residentMib: trading.daemon.residentMib },
    latency: Object.fromEntries(stages.map((stage) => [stage, stageFigures(latency, stage)])),
    trading,
    spinning,
    spinner: await endOfSpinner(),
    books: await books({ daemon, gateway, before }),
  };
}

/** Starts the daemon, waits for its strategies no longer than `withinSeconds`, and counts those that run. */
async function deploy(count, window, withinSeconds) {
  const stateDir = join(folder, `state-${count}`);
  mkdirSync(stateDir);
  const everyMs = Math.round(plan.orderEverySeconds * 1_000 * plan.speed);
  const config = writeConfig(folder, { ...window, url: gateway.url, symbols: symbols.names, count, everyMs });
  // The endless loop has to last for the whole of its phase.
  const watchdogMs = (plan.spinSeconds + 5) * 1_000;
  daemon = await StartedDaemon.start({ config, stateDir, key: gateway.key, watchdogMs });
  const startMs = performance.now();
  const running = (rows) => rows.filter(({ state }) => state === 'running').length;
  const rows = await daemon.until('/list', (list) => running(list) === count, withinSeconds * 1_000);
  return { running: running(rows), seconds: (performance.now() - startMs) / 1_000 };
}

/** Opens a position under its magic; it loops forever at the next tick. */
async function letOneSpin() {
  await gateway.json('/order', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `bench-${Date.now()}` },
    body: JSON.stringify({ symbol: symbols.names[0], volume: 0.01, type: 'BUY', magic: spinner.magic }),
  });
}

/** How much waits for the strategy that spins, and whether the watchdog ends it. */
async function endOfSpinner() {
  const path = `/status/${spinner.name}`;
  const { inboundQueueDepth: waiting } = await daemon.json(path);
  const { state } = await daemon.until(path, (status) => status.state === 'failed', 10_000);
  return { waiting, ended: state === 'failed' };
}

/** Some seconds of the control port's answers, with what both programs used meanwhile. */
async function phase(seconds) {
  const routes = ['/health', '/list', '/status/rhythm-001', '/latency', '/status'];
  const used = async () => ({ daemon: await daemon.usage(), gateway: await gateway.usage() });
  const before = await used();
  const startMs = performance.now();
  const control = await probe(daemon, routes, () => performance.now() - startMs < seconds * 1_000);
  const after = await used();
  const tookSeconds = (performance.now() - startMs) / 1_000;
  const figures = (name) => ({
    cpuPercent: (100 * (after[name].cpuSeconds - before[name].cpuSeconds)) / tookSeconds,
    residentMib: after[name].residentMib,
  });
  return { seconds: tookSeconds, control, daemon: figures('daemon'), gateway: figures('gateway') };
}

async function marketMs() {
  const { time_utc: time } = await gateway.json(`/symbol_info_tick/${symbols.names[0]}`);
  return Date.parse(time);
}
