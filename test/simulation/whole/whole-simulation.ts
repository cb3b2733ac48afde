import { SimulatedPostgres } from '@libs/simulated-postgres';
import type { HttpRequest, Method } from '../asks';
import { ReplayedCores } from '../replayed-cores';
import { noPoliteDay, type RunResult } from '../simulation';
import { mostBetweenQuotesMs } from '../recorded-prices';
import { readyAtMs } from '../steps';
import { SeededRandom } from '../seeded-random';
import { Trace } from '../trace';
import type { VirtualTime } from '../virtual-time';
import { DaemonConfiguration, hostOf } from './daemon-configuration';
import { DaemonHost, type DaemonRun } from './daemon-host';
import { DatabaseWay } from './database-way';
import { FleetJudge } from './fleet-judge';
import { FleetOperator } from './fleet-operator';
import { GatewaySite } from './gateway-site';
import { LookOut, type Place } from './look-out';
import { groupedOrders } from './books';
import { waitingBesideFilled } from './invariants/groups';
import { openProblems } from './open-problems';
import { GatewaySiteJudge } from './site-judge';
import { WholeJudge } from './whole-judge';
import type { DatabaseAction, FleetPlan, WholePlan, WholeStep } from './whole-steps';

/** How long after the last fault everything has to be settled. */
const settleWithinMs = 15 * 60_000;
/** How long after the last fault a host that drains may have units, and another one could take them. */
const drainedWithinMs = 5 * 60_000;
const lookEveryMs = 5_000;

/** One run of a plan: the daemons, their gateways, and the brokers. */
export class WholeSimulation {
  private readonly trace: Trace;
  private readonly random: SeededRandom;
  private readonly judge: WholeJudge;
  private readonly cores: ReplayedCores;
  private readonly configuration: DaemonConfiguration;
  private readonly places: readonly Place[];
  private readonly hosts: readonly DaemonHost[];
  private readonly server: SimulatedPostgres;
  /** The way of each host to the database. */
  private readonly databases: readonly DatabaseWay[];
  private readonly lookOut: LookOut;
  /** Of a fleet; null for one daemon. */
  private readonly operator: FleetOperator | null;
  private readonly faults: Record<string, number> = {};
  /** How far the server's clock was ahead at most: leases that were taken then end by it. */
  private latestOffMs = 0;
  private requests = 0;

  constructor(
    private readonly plan: WholePlan,
    private readonly time: VirtualTime,
    keptLines = 400,
  ) {
    this.trace = new Trace(time, keptLines);
    this.random = new SeededRandom(`whole ${plan.seed}`);
    this.judge = new WholeJudge(time, plan.prices === 'recorded' ? mostBetweenQuotesMs : 0);
    this.cores = new ReplayedCores((invariant, problems) => this.judge.report(invariant, problems));
    this.configuration = new DaemonConfiguration(plan, time.startMs + readyAtMs + plan.lengthMs);
    this.places = Array.from({ length: plan.gateways }, (_, number) => this.place(number));
    this.server = new SimulatedPostgres({ nowMs: () => time.nowMs });
    const { hosts: count, leaseSeconds, isApplied = false }: FleetPlan = plan.fleet ?? { hosts: 1, leaseSeconds: 0 };
    const { judge, places } = this;
    if (plan.fleet) {
      judge.fleet = new FleetJudge({
        ...{ time, leaseMs: leaseSeconds * 1_000, durable: judge.durable },
        report: (invariant, problems) => judge.report(invariant, problems),
        committed: (entries) => judge.committed(entries),
      });
      // A write waits for a server that does not answer.
      judge.slow(Infinity);
    }
    const fleet = judge.fleet;
    const numbers = Array.from({ length: count }, (_, number) => number);
    this.databases = fleet
      ? numbers.map((number) => new DatabaseWay(time, this.random.fork(`database ${number}`), this.server, fleet))
      : [];
    this.hosts = numbers.map((number) => {
      const database = this.databases[number];
      return new DaemonHost(number, {
        ...{ time, random: this.random, judge, cores: this.cores, configuration: this.configuration },
        sites: places.map(({ site }) => site),
        fleet: fleet && database ? { database, judge: fleet, leaseSeconds, isApplied } : null,
        trace: (line) => this.trace.write(line),
        fetch: (host, run, url, init) => this.fetch(host, run, url, init),
        starts: (host) => this.lookOut.daemonStarts(host),
      });
    });
    this.lookOut = new LookOut({ time, judge, places, hosts: this.hosts });
    const { server, configuration, hosts } = this;
    const trace = (line: string): void => this.trace.write(line);
    this.operator =
      plan.fleet && fleet
        ? new FleetOperator({ time, server, plan: plan.fleet, configuration, hosts, judge: fleet, trace })
        : null;
  }

  /** Something happened that would have ended a process. */
  crashed(error: unknown): void {
    this.judge.crashed(error);
  }

  /** Runs the plan to its end, or to the first violation. */
  async run(): Promise<RunResult> {
    await this.operator?.begin();
    for (const { site } of this.places) await site.start();
    for (const { daemon, number } of this.hosts) this.time.schedule(20_000 + number * 1_000, () => daemon.start());
    await this.runUntil(readyAtMs);
    const beginMs = this.time.elapsedMs;
    for (const step of this.plan.steps) this.time.schedule(step.atMs, () => this.take(step));
    this.lookOut.begin();
    this.lookOut.watchLimits();
    await this.runUntil(beginMs + this.plan.lengthMs);
    this.calm();
    await this.operator?.calm();
    const calmAtMs = this.time.elapsedMs;
    let problems = await this.problems();
    while (!this.judge.violation && problems.length > 0 && this.time.elapsedMs < calmAtMs + settleWithinMs) {
      // In a fleet, no host has all strategies.
      const expected = this.plan.fleet ? 0 : this.configuration.names.length;
      for (const { operator } of this.hosts) operator.calm(expected);
      await this.operator?.settle();
      await this.runUntil(this.time.elapsedMs + lookEveryMs);
      problems = await this.problems();
      if (this.time.elapsedMs >= calmAtMs + drainedWithinMs) await this.seeDrains();
    }
    this.judge.report('everything settles', problems);
    return this.result();
  }

  /** What is not settled. */
  private async problems(): Promise<readonly string[]> {
    const sites = this.places.map(({ site }) => site);
    const daemons = this.hosts.map(({ daemon }) => daemon.run?.app?.daemon ?? null);
    const drains = (await this.operator?.problems()) ?? [];
    const grouped = sites.flatMap((site) => groupedOrders(site, (comment) => this.judge.groupOf(site.number, comment)));
    return [...openProblems(daemons, this.configuration.names, sites), ...waitingBesideFilled(grouped), ...drains];
  }

  private async seeDrains(): Promise<void> {
    this.judge.report('a drained host has no units', (await this.operator?.problems()) ?? []);
  }

  private runUntil(atMs: number): Promise<void> {
    return this.time.runUntil(atMs, () => this.judge.violation !== null);
  }

  private place(number: number): Place {
    const random = this.random.fork(`gateway ${number}`);
    const judge: GatewaySiteJudge = new GatewaySiteJudge(number, 100_001 + number, this.time, this.judge);
    const trace = (line: string): void => this.trace.write(line);
    const { settings, marginModes = [], prices = 'generated', commission = 0 } = this.plan;
    const marginMode = marginModes[number] ?? 'hedging';
    const { time, cores } = this;
    const site = new GatewaySite(
      number,
      { time, random, settings, marginMode, prices, commission, cores, trace },
      judge,
    );
    return { site, judge, unreachableSinceMs: null };
  }

  private async fetch(host: DaemonHost, run: DaemonRun, url: URL, init: RequestInit): Promise<Response> {
    const place = this.places.find(({ site }) => hostOf(site.number) === url.hostname);
    if (!place) throw new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } });
    const { site } = place;
    const request = requestOf(url, init);
    const sender = { life: run.life, signal: init.signal ?? null };
    if (host.isolation !== null) return site.way.refuse(sender, host.isolation);
    if (url.pathname.startsWith('/stream/')) return site.way.open(request, sender);
    await run.calls.begin(`http ${request.method} ${url.pathname}`);
    this.requests += 1;
    const isTrade = request.headers?.['idempotency-key'] !== undefined;
    // A halt may have ended since the last look.
    if (isTrade) this.lookOut.seeHalts();
    this.judge.requested(site.number, request, host.numberOf(run), host.versionOf(run));
    if (isTrade) this.trace.write(`${host.name}: ${lineOf(request)} to ${site.name}`);
    const response = await site.way.send(request, sender);
    this.seeRaise(site.number, request, response.status);
    if (isTrade) this.trace.write(`${host.name}: ${request.headers?.['idempotency-key']} answered ${response.status}`);
    await run.calls.end(`http ${request.method} ${url.pathname}`);
    return response;
  }

  /** A host that is told that a fence is raised trades from then on. */
  private seeRaise(site: number, { method, url, body }: HttpRequest, status: number): void {
    const [, name] = /^\/fences\/(\w+)$/.exec(url) ?? [];
    if (method !== 'PUT' || name === undefined || status !== 200) return;
    const { token } = body as { readonly token: number };
    this.judge.fleet?.raiseAnswered(site, { name, token });
  }

  private take(step: WholeStep): void {
    const kind = step.at === 'daemon' ? `daemon: ${step.action.kind}` : step.action.kind;
    this.faults[kind] = (this.faults[kind] ?? 0) + 1;
    if (step.at === 'database') {
      this.trace.write(`database: ${JSON.stringify(step.action)}`);
      return this.takeDatabase(step.action);
    }
    if (step.at === 'fleet') {
      this.trace.write(`operator: ${JSON.stringify(step.action)}`);
      return this.operator?.take(step.action);
    }
    if (step.at !== 'daemon') {
      const { action } = step;
      if (action.kind === 'broker' && action.fault.kind === 'frozen-quotes')
        this.judge.quotesFrozen(action.ms ?? this.plan.lengthMs);
      if (action.kind === 'broker' && action.fault.kind === 'clock-offset')
        this.judge.serverClockSet(action.fault.seconds * 1_000, action.ms ?? this.plan.lengthMs);
      // A plan that was made for more gateways.
      this.places[step.at % this.places.length]?.site.take(step.action);
      return;
    }
    // A plan that was made for more hosts.
    const host = this.hosts[(step.host ?? 0) % this.hosts.length];
    this.trace.write(`${host?.name}: ${JSON.stringify(step.action)}`);
    host?.take(step.action);
  }

  private takeDatabase(action: DatabaseAction): void {
    if (action.kind === 'server clock') return this.setServerClock(this.server.offMs + action.byMs);
    for (const way of this.databases.filter((_, number) => (action.host ?? number) === number)) {
      switch (action.kind) {
        case 'database cut':
          way.break(action.silent);
          this.time.schedule(action.ms, () => way.mend());
          break;
        case 'database slow':
          way.delay(action.delayMs);
          this.time.schedule(action.ms, () => way.delay(0));
          break;
        case 'database trouble':
          way.trouble(action.trouble, action.command);
      }
    }
  }

  private setServerClock(offMs: number): void {
    this.judge.fleet?.clockSet(offMs - this.server.offMs);
    this.server.offMs = offMs;
    this.latestOffMs = Math.max(this.latestOffMs, offMs);
  }

  /** From now on nothing goes wrong, and every program runs. */
  private calm(): void {
    this.trace.write('all faults end');
    this.configuration.calm();
    for (const { site } of this.places) site.calm();
    this.setServerClock(this.latestOffMs);
    for (const host of this.hosts) host.calm();
  }

  private result(): RunResult {
    const { violation } = this.judge;
    if (violation) this.trace.write(`VIOLATION ${violation.invariant}: ${violation.what}`);
    const sends = this.places.flatMap(({ site }) => site.sends);
    const programs = [...this.hosts.map(({ daemon }) => daemon), ...this.places.map(({ site }) => site.gateway)];
    return {
      ...{ seed: this.plan.seed, violation, digest: this.trace.digest, traceLines: this.trace.lines },
      lastLines: this.trace.lastLines,
      figures: {
        ...{ virtualMs: this.time.elapsedMs, requests: this.requests, asks: this.judge.asks.byKey.size },
        ...{ sends: sends.length, executed: sends.filter(({ fate }) => fate === 'done').length },
        kills: programs.reduce((sum, { kills }) => sum + kills, 0),
        starts: programs.reduce((sum, { starts }) => sum + starts, 0),
        replayed: this.cores.events,
        polite: noPoliteDay,
        faults: this.faults,
      },
    };
  }
}

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE'];

function requestOf({ pathname, search }: URL, { method, headers, body }: RequestInit): HttpRequest {
  return {
    method: methods.find((known) => known === method) ?? 'GET',
    url: `${pathname}${search}`,
    headers: Object.fromEntries(new Headers(headers)),
    ...(typeof body === 'string' ? { body: JSON.parse(body) as object } : {}),
  };
}

function lineOf({ method, url, headers, body }: HttpRequest): string {
  return `${headers?.['idempotency-key']} ${method} ${url} ${JSON.stringify(body ?? {})}`;
}
