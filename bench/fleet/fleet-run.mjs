import { performance } from 'node:perf_hooks';

/** Closes what it finds when it starts, and then opens four positions and closes them, again and again. */
const body = `if (trade.warmingUp) return;
  const open = trade.positions();
  isLeft ||= open.length === 0;
  if (!isLeft || open.length >= 4) for (const position of open) trade.close(position);
  else if (trade.inFlight === 0) trade.buy('main', { volume: 0.01 });`;
const pollMs = 20;

/** Hosts that take over one strategy from each other, which trades, and what the gateway received from them. */
export class FleetRun {
  static async start(require, scratch, server, leaseSeconds) {
    const { ChaosBroker } = require('../test/chaos/chaos-broker.ts');
    const { GatewayProgram } = require('../test/e2e/programs/gateway-program.ts');
    const { DatabaseWay } = require('../test/e2e/programs/database-way.ts');
    const { fastMarket } = require('../test/e2e/programs/markets.ts');
    const { strategyFile } = require('../test/e2e/daemon/daemon-program.ts');
    const { FleetHosts } = require('../test/e2e/daemon/fleet-rig.ts');
    const { SIM_SPEED, ...zone } = fastMarket();
    const broker = await ChaosBroker.start(scratch, { SIM_SPEED, SIM_BALANCE: '10000' });
    const gateway = await GatewayProgram.startReady(scratch, { ...broker.settings, ...zone });
    const module = strategyFile(scratch.folder(), 'probe', body, '', 'let isLeft = false;');
    const hosts = new FleetHosts(scratch, server, gateway, [{ name: 'probe', module }], leaseSeconds);
    const run = new FleetRun(hosts, broker, server, (to) => DatabaseWay.open(scratch, to));
    run.holder = await run.join();
    await hosts.untilTrades(run.holder.daemon, 'probe');
    return run;
  }

  /** Takeovers so far. */
  number = 0;
  holder = null;

  constructor(hosts, broker, server, openWay) {
    Object.assign(this, { hosts, broker, server, openWay });
  }

  /**
   * Ends the host that runs the strategy, once another one waits for it.
   * @param strike takes the host and its way to the database
   * @returns milliseconds until another host runs it, has sent an exit, and has sent an entry
   */
  async takeover(strike) {
    this.number += 1;
    const { holder } = this;
    const next = await this.join();
    const beganAt = this.begin();
    const ending = strike(holder);
    await until(async () => (await next.daemon.status('probe').catch(() => null))?.state === 'running');
    const runsMs = performance.now() - beganAt.monotonicMs;
    const sent = await this.sentSince(beganAt);
    this.holder = next;
    await ending;
    await this.hosts.untilTrades(next.daemon, 'probe', 1);
    return { runsMs, ...sent };
  }

  /** Notes now, and the token of the present holder. */
  begin() {
    return { token: this.hosts.sentUnder.at(-1) ?? 0, atMs: Date.now(), monotonicMs: performance.now() };
  }

  /** How long the first exit and the first entry took, by the times of the gateway's audit log. */
  async sentSince({ token, atMs }) {
    const first = (isExit) =>
      this.hosts.sends.findLast(({ fence_token: under }) => under <= token) &&
      this.hosts.sends.find(({ route, fence_token: under }) => under > token && (route === 'POST /order') !== isExit);
    await until(() => first(true) && first(false));
    return { exitMs: Date.parse(first(true).timestamp) - atMs, entryMs: Date.parse(first(false).timestamp) - atMs };
  }

  async join() {
    const name = `host-${this.number}`;
    const way = await this.openWay(this.server.socketFolder);
    this.hosts.databaseUrls.set(name, this.server.urlOf('trading_daemon', way.folder));
    const daemon = await this.hosts.start(name);
    await until(async () => (await daemon.call('/health')).body.fleet?.database === 'ok');
    return { daemon, way };
  }
}

/** Waits until something holds. */
export async function until(holds) {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, pollMs));
}
