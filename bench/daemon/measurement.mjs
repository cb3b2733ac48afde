import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { LinkedGateway } from '../all/linked-gateway.mjs';
import { StartedGateway } from '../started-gateway.mjs';
import { books } from './books.mjs';
import { probe } from './control-port-probe.mjs';
import { stageFigures } from './percentiles.mjs';
import { pause, StartedDaemon } from './started-daemon.mjs';
import { spinner, writeConfig, writeStrategies, writeSymbols } from './world.mjs';

const stages = ['tick_to_strategy', 'strategy', 'signal_to_submission', 'tick_to_submission', 'submission_to_fill'];
const routes = ['/health', '/list', '/status/rhythm-001', '/latency', '/status'];

/**
 * Strategies of one daemon that trade through one gateway: deployment, memory, waits from tick to submission, and the control port
 * while all trade and while one strategy loops for ever.
 * @param plan as of {@link daemonPlan}
 */
export async function measureDaemon(plan) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-daemon-'));
  const symbols = writeSymbols(folder, plan.symbols);
  writeStrategies(folder);
  const settings = {
    SIM_SYMBOLS: symbols.file,
    SIM_SPEED: String(plan.speed),
    SIM_BALANCE: '10000000',
    SIM_HISTORY_DAYS: '7',
  };
  const linked = plan.callMs === null ? null : await LinkedGateway.start(settings);
  const gateway = linked?.gateway ?? (await StartedGateway.start(settings));
  const measurement = new Measurement(plan, folder, symbols, gateway);
  try {
    await linked?.takeFor(plan.callMs);
    return await measurement.run();
  } finally {
    await measurement.stop();
    await (linked ?? gateway).stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What to measure, by the environment and by what is given. */
export function daemonPlan(given = {}) {
  const setting = (name, fallback) => Number(process.env[name] ?? fallback);
  return {
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
    tradeSeconds: setting('BENCH_TRADE_SECONDS', 30),
    spinSeconds: setting('BENCH_SPIN_SECONDS', 15),
    /** Strategies that share a thread; 0: each has its own. */
    groupSize: setting('BENCH_GROUP', 0),
    /** Milliseconds that each call of the terminal takes at the other end of the link; null: the embedded simulator. */
    callMs: process.env.BENCH_CALL_MS ? setting('BENCH_CALL_MS') : null,
    ...given,
  };
}

class Measurement {
  #plan;
  #folder;
  #symbols;
  #gateway;
  #daemon;

  constructor(plan, folder, symbols, gateway) {
    this.#plan = plan;
    this.#folder = folder;
    this.#symbols = symbols;
    this.#gateway = gateway;
  }

  async run() {
    return this.#measure(await this.#measureFew());
  }

  async stop() {
    await this.#daemon?.stop();
  }

  /** A few strategies show what memory the daemon needs anyway, and how long it may take to deploy all. */
  async #measureFew() {
    const count = Math.min(this.#plan.fewStrategies, this.#plan.strategies - 1);
    const { running: strategies, seconds } = await this.#deploy(count, { fromMs: 0, untilMs: 0 }, 30);
    await pause(3_000);
    const { residentMib } = await this.#daemon.usage();
    await this.#daemon.stop();
    return { strategies, seconds, residentMib };
  }

  async #measure(few) {
    const plan = this.#plan;
    const tradeMs = (plan.tradeSeconds + plan.spinSeconds) * 1_000 * plan.speed;
    const guess = Math.ceil(5 + (2 * few.seconds * plan.strategies) / Math.max(1, few.strategies));
    const deploySeconds = Math.min(plan.deploySeconds, guess);
    const fromMs = (await this.#marketMs()) + deploySeconds * 1_000 * plan.speed;
    const window = { fromMs: Math.round(fromMs), untilMs: Math.round(fromMs + tradeMs) };
    const deployed = await this.#deploy(plan.strategies, window, deploySeconds);
    const before = await this.#gateway.json('/account');
    while ((await this.#marketMs()) < fromMs) await pause(100);

    const trading = await this.#phase(plan.tradeSeconds);
    const latency = await this.#daemon.json('/latency');
    await this.#letOneSpin();
    const spinning = await this.#phase(plan.spinSeconds);
    return {
      ...{ node: process.version, processors: cpus().length, load: loadavg()[0], plan, deployed },
      memory: { few, residentMib: trading.daemon.residentMib },
      latency: Object.fromEntries(stages.map((stage) => [stage, stageFigures(latency, stage)])),
      ...{ trading, spinning },
      spinner: await this.#endOfSpinner(),
      books: await books({ daemon: this.#daemon, gateway: this.#gateway, before }),
    };
  }

  /** Starts the daemon, waits for its strategies no longer than `withinSeconds`, and counts those that run. */
  async #deploy(count, window, withinSeconds) {
    const plan = this.#plan;
    const stateDir = join(this.#folder, `state-${count}`);
    mkdirSync(stateDir);
    const everyMs = Math.round(plan.orderEverySeconds * 1_000 * plan.speed);
    const world = { url: this.#gateway.url, symbols: this.#symbols.names, count, everyMs, groupSize: plan.groupSize };
    const config = writeConfig(this.#folder, { ...window, ...world });
    // The endless loop has to last for the whole of its phase.
    const watchdogMs = (plan.spinSeconds + 5) * 1_000;
    const startMs = performance.now();
    this.#daemon = await StartedDaemon.start({ config, stateDir, key: this.#gateway.key, watchdogMs });
    const running = (rows) => rows.filter(({ state }) => state === 'running').length;
    const rows = await this.#daemon.until('/list', (list) => running(list) === count, withinSeconds * 1_000);
    const seconds = (performance.now() - startMs) / 1_000;
    return { running: running(rows), seconds };
  }

  /** Opens a position under its magic; it loops for ever with the next tick. */
  async #letOneSpin() {
    await this.#gateway.json('/order', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `bench-${Date.now()}` },
      body: JSON.stringify({ symbol: this.#symbols.names[0], volume: 0.01, type: 'BUY', magic: spinner.magic }),
    });
  }

  /** How much waits for the strategy that spins, and whether the watchdog ends it. */
  async #endOfSpinner() {
    const path = `/status/${spinner.name}`;
    const { inboundQueueDepth: waiting } = await this.#daemon.json(path);
    const { state } = await this.#daemon.until(path, (status) => status.state === 'failed', 10_000);
    return { waiting, ended: state === 'failed' };
  }

  /** Some seconds of the control port's answers, with what both programs used meanwhile. */
  async #phase(seconds) {
    const used = async () => ({ daemon: await this.#daemon.usage(), gateway: await this.#gateway.usage() });
    const before = await used();
    const startMs = performance.now();
    const control = await probe(this.#daemon, routes, () => performance.now() - startMs < seconds * 1_000);
    const after = await used();
    const tookSeconds = (performance.now() - startMs) / 1_000;
    const figures = (name) => ({
      cpuPercent: (100 * (after[name].cpuSeconds - before[name].cpuSeconds)) / tookSeconds,
      residentMib: after[name].residentMib,
    });
    return { seconds: tookSeconds, control, daemon: figures('daemon'), gateway: figures('gateway') };
  }

  async #marketMs() {
    const { time_utc: time } = await this.#gateway.json(`/symbol_info_tick/${this.#symbols.names[0]}`);
    return Date.parse(time);
  }
}
