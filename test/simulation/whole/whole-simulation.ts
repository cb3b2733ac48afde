import type { Bar } from '@libs/strategy';
import { pino } from 'pino';
import { createDaemon, type DaemonApp } from '../../../apps/daemon/src/daemon.app';
import { readDaemonSettings } from '../../../apps/daemon/src/daemon.config';
import type { DaemonEdge } from '../../../apps/daemon/src/daemon.edge';
import type { HttpRequest, Method } from '../asks';
import { InstanceClock, type WallClock } from '../instance-clock';
import { ProgramProcess, type ProgramRun } from '../program-process';
import type { RunResult } from '../simulation';
import { mostBetweenQuotesMs } from '../recorded-prices';
import { readyAtMs } from '../steps';
import { SeededRandom } from '../seeded-random';
import { Trace } from '../trace';
import type { VirtualTime } from '../virtual-time';
import { DaemonConfiguration, hostOf } from './daemon-configuration';
import { DaemonMachine, daemonStateDir } from './daemon-machine';
import { DaemonOperator } from './daemon-operator';
import { GatewaySite } from './gateway-site';
import { LookOut, type Place } from './look-out';
import { openProblems } from './open-problems';
import { ReplayedCores } from './replayed-cores';
import { GatewaySiteJudge } from './site-judge';
import { SimulatedStrategyHost } from './strategy-host';
import { WholeJudge } from './whole-judge';
import type { DaemonAction, WholePlan, WholeStep } from './whole-steps';

/** How long after the last fault everything has to be settled. */
const settleWithinMs = 15 * 60_000;
const lookEveryMs = 5_000;
const barMs = 60_000;

type DaemonRun = ProgramRun<DaemonApp>;

/** One run of a plan: the daemon, its gateways, and their brokers. */
export class WholeSimulation {
  private readonly trace: Trace;
  private readonly random: SeededRandom;
  private readonly judge: WholeJudge;
  private readonly cores: ReplayedCores;
  private readonly machine: DaemonMachine;
  private readonly configuration: DaemonConfiguration;
  private readonly places: readonly Place[];
  private readonly daemon: ProgramProcess<DaemonApp>;
  private readonly operator: DaemonOperator;
  private readonly lookOut: LookOut;
  private readonly wall: WallClock = { offMs: 0 };
  private readonly faults: Record<string, number> = {};
  private host: SimulatedStrategyHost | null = null;
  private requests = 0;

  constructor(
    private readonly plan: WholePlan,
    private readonly time: VirtualTime,
    keptLines = 400,
  ) {
    this.trace = new Trace(time, keptLines);
    this.random = new SeededRandom(`whole ${plan.seed}`);
    this.judge = new WholeJudge(time, plan.prices === 'recorded' ? mostBetweenQuotesMs : 0);
    this.cores = new ReplayedCores(this.judge);
    this.machine = new DaemonMachine(time, this.random.fork('disk of the daemon'), (entries) =>
      this.judge.committed(entries),
    );
    this.configuration = new DaemonConfiguration(plan, time.startMs + readyAtMs + plan.lengthMs);
    this.places = Array.from({ length: plan.gateways }, (_, number) => this.place(number));
    this.daemon = new ProgramProcess<DaemonApp>({
      ...{ name: 'daemon', time },
      trace: (line) => this.trace.write(line),
      boot: (run) => this.boot(run),
      ended: (_, crash) => {
        this.machine.crash(crash);
        for (const { site } of this.places) site.way.leave();
      },
      failedToStart: () => undefined,
    });
    this.operator = new DaemonOperator({
      daemon: this.daemon,
      machine: this.machine,
      asks: this.judge.asks,
      sites: this.places.map(({ site }) => site),
      trace: (line) => this.trace.write(line),
    });
    const { judge, places, daemon, operator } = this;
    this.lookOut = new LookOut({ time, judge, places, daemon, operator });
  }

  /** Something happened that would have ended a process. */
  crashed(error: unknown): void {
    this.judge.crashed(error);
  }

  /** Runs the plan to its end, or to the first violation. */
  async run(): Promise<RunResult> {
    for (const { site } of this.places) await site.start();
    this.time.schedule(20_000, () => this.daemon.start());
    await this.runUntil(readyAtMs);
    const beginMs = this.time.elapsedMs;
    for (const step of this.plan.steps) this.time.schedule(step.atMs, () => this.take(step));
    this.lookOut.begin();
    await this.runUntil(beginMs + this.plan.lengthMs);
    this.calm();
    const calmAtMs = this.time.elapsedMs;
    let problems = this.problems;
    while (!this.judge.violation && problems.length > 0 && this.time.elapsedMs < calmAtMs + settleWithinMs) {
      this.operator.calm(this.configuration.names.length);
      await this.runUntil(this.time.elapsedMs + lookEveryMs);
      problems = this.problems;
    }
    this.judge.report('everything settles', problems);
    return this.result();
  }

  /** What is not settled. */
  private get problems(): readonly string[] {
    const sites = this.places.map(({ site }) => site);
    return openProblems(this.daemon.run?.app?.daemon ?? null, this.configuration.names, sites);
  }

  private runUntil(atMs: number): Promise<void> {
    return this.time.runUntil(atMs, () => this.judge.violation !== null);
  }

  private place(number: number): Place {
    const random = this.random.fork(`gateway ${number}`);
    const judge: GatewaySiteJudge = new GatewaySiteJudge(number, 100_001 + number, this.time, this.judge);
    const trace = (line: string): void => this.trace.write(line);
    const { settings, marginModes = [], prices = 'generated' } = this.plan;
    const marginMode = marginModes[number] ?? 'hedging';
    const site = new GatewaySite(number, { time: this.time, random, settings, marginMode, prices, trace }, judge);
    return { site, judge, unreachableSinceMs: null };
  }

  private async boot(run: DaemonRun): Promise<DaemonApp> {
    const { configuration } = this;
    this.lookOut.daemonStarts();
    const settings = readDaemonSettings({});
    const start = { settings, configured: configuration, stateDir: daemonStateDir, host: '127.0.0.1' };
    const app = await createDaemon(start, pino({ level: 'silent' }), this.edge(run));
    await app.control.init();
    await app.control.getHttpAdapter().getInstance().ready();
    await app.daemon.verifyGateways();
    await app.daemon.openPorts();
    void app.daemon.deploy();
    return app;
  }

  private edge(run: DaemonRun): DaemonEdge {
    const clock = new InstanceClock(this.time, run.life, this.wall);
    const host = new SimulatedStrategyHost(clock, this.configuration, {
      began: (strategy, state) => this.judge.began(strategy, state),
      decided: (strategy, event, { intents, state }) => {
        const barClosedMs = event.type === 'bar' ? this.closedMs(strategy, event.bar) : null;
        this.judge.decided(strategy, intents, { barClosedMs, barMs, state });
      },
    });
    this.host = host;
    const names = this.random.fork(`session ${run.number}`);
    return {
      clock,
      ...this.machine.edge(run.calls),
      network: {
        fetch: (url, init) => this.fetch(run, new URL(url), init),
        setTimer: (delayMs, act) => clock.setTimer(delayMs, act),
      },
      strategies: host,
      recordings: this.cores,
      openDatabase: () => Promise.reject(new Error('there is no database')),
      ports: () => ({ open: () => Promise.resolve(), close: () => undefined }),
      newSession: () => names.bytes(8).toString('hex'),
    };
  }

  /** When a bar of a strategy's stream closed, in virtual milliseconds. */
  private closedMs(strategy: string, { stream, symbol, timeMs }: Bar): number {
    const streams = this.operator.strategies.find(({ spec }) => spec.name === strategy)?.spec.streams ?? [];
    const broker = streams.find(({ alias }) => alias === stream)?.broker;
    const site = this.places.find((place) => place.site.name === broker)?.site;
    const endMs = timeMs + barMs;
    return (site?.broker.closeOfBarMs(symbol, endMs) ?? endMs) - this.time.startMs;
  }

  private async fetch(run: DaemonRun, url: URL, init: RequestInit): Promise<Response> {
    const place = this.places.find(({ site }) => hostOf(site.number) === url.hostname);
    if (!place) throw new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } });
    const { site } = place;
    const request = requestOf(url, init);
    const sender = { life: run.life, signal: init.signal ?? null };
    if (url.pathname.startsWith('/stream/')) return site.way.open(request, sender);
    await run.calls.begin(`http ${request.method} ${url.pathname}`);
    this.requests += 1;
    const isTrade = request.headers?.['idempotency-key'] !== undefined;
    // A halt may have ended since the last look.
    if (isTrade) this.lookOut.seeHalts();
    this.judge.requested(site.number, request, run.number);
    if (isTrade) this.trace.write(`daemon: ${lineOf(request)} to ${site.name}`);
    const response = await site.way.send(request, sender);
    if (isTrade) this.trace.write(`daemon: ${request.headers?.['idempotency-key']} answered ${response.status}`);
    await run.calls.end(`http ${request.method} ${url.pathname}`);
    return response;
  }

  private take(step: WholeStep): void {
    const kind = step.at === 'daemon' ? `daemon: ${step.action.kind}` : step.action.kind;
    this.faults[kind] = (this.faults[kind] ?? 0) + 1;
    if (step.at !== 'daemon') {
      const { action } = step;
      if (action.kind === 'broker' && action.fault.kind === 'frozen-quotes')
        this.judge.quotesFrozen(action.ms ?? this.plan.lengthMs);
      // A plan that was made for more gateways.
      this.places[step.at % this.places.length]?.site.take(step.action);
      return;
    }
    this.trace.write(`daemon: ${JSON.stringify(step.action)}`);
    this.takeDaemon(step.action);
  }

  private takeDaemon(action: DaemonAction): void {
    switch (action.kind) {
      case 'kill':
        return this.daemon.killNow(action);
      case 'kill at':
        return this.daemon.killAt(action.order, action);
      case 'pause':
        this.judge.paused(action.ms);
        return this.daemon.pause(action.ms);
      case 'wall clock':
        this.wall.offMs += action.byMs;
        return;
      case 'disk':
        if (action.fault === 'slow') this.judge.slow(action.ms);
        this.machine.strike(action.fault);
        return void this.time.schedule(action.ms, () => this.machine.clear());
      case 'lose thread':
        return this.host?.lose(action.which);
      case 'reload':
        this.configuration.change(action.change, action.which);
        return this.operator.reload();
      case 'resume':
        return this.operator.resume(action.which);
      case 'settle':
        return this.operator.settle();
    }
  }

  /** From now on nothing goes wrong, and every program runs. */
  private calm(): void {
    this.trace.write('all faults end');
    this.daemon.spare();
    this.machine.clear();
    this.configuration.calm();
    for (const { site } of this.places) site.calm();
    this.daemon.start();
    this.operator.reload();
  }

  private result(): RunResult {
    const { violation } = this.judge;
    if (violation) this.trace.write(`VIOLATION ${violation.invariant}: ${violation.what}`);
    const sends = this.places.flatMap(({ site }) => site.sends);
    const programs = [this.daemon, ...this.places.map(({ site }) => site.gateway)];
    return {
      ...{ seed: this.plan.seed, violation, digest: this.trace.digest, traceLines: this.trace.lines },
      lastLines: this.trace.lastLines,
      figures: {
        ...{ virtualMs: this.time.elapsedMs, requests: this.requests, asks: this.judge.asks.byKey.size },
        ...{ sends: sends.length, executed: sends.filter(({ fate }) => fate === 'done').length },
        kills: programs.reduce((sum, { kills }) => sum + kills, 0),
        starts: programs.reduce((sum, { starts }) => sum + starts, 0),
        replayed: this.cores.events,
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
