import type { JournaledRequest, TradeRequest } from '@libs/terminal-client';
import { AskBook, type Ask, type HttpAnswer, type HttpRequest } from './asks';
import { Asking } from './asking';
import { account, SimulatedBroker } from './broker';
import { FencedStrategies } from './fenced-strategies';
import { GatewayProcess, type GatewayRun } from './gateway-process';
import { HttpPath } from './http-path';
import { InstanceClock, type WallClock } from './instance-clock';
import { Judge, type Violation } from './judge';
import { watchingFences } from './judging/fence-watch';
import { LinkWeather } from './link-weather';
import { GatewayMachine } from './machine';
import { Operator } from './operator';
import { readyAtMs, type Plan, type Step } from './steps';
import { ReplayedCores } from './replayed-cores';
import { SeededRandom } from './seeded-random';
import { markerOf, type SendRecord } from './sends';
import { simulatedSettings } from './simulated-settings';
import { SimulatedLink } from './simulated-link';
import { TerminalLane } from './terminal-lane';
import { Trace } from './trace';
import { seededId } from './virtual-globals';
import type { VirtualTime } from './virtual-time';
import { Weather } from './weather';

/** How long after the last fault everything has to be settled. */
const settleWithinMs = 15 * 60_000;

export interface RunResult {
  readonly seed: string;
  readonly violation: Violation | null;
  readonly digest: string;
  readonly traceLines: number;
  readonly lastLines: readonly string[];
  readonly figures: Figures;
}

export interface Figures {
  readonly virtualMs: number;
  readonly requests: number;
  readonly asks: number;
  readonly sends: number;
  readonly executed: number;
  readonly kills: number;
  readonly starts: number;
  /** Events of cores that a second core has replayed. */
  readonly replayed: number;
  /** What went wrong, and what operators did: how often, by kind. */
  readonly faults: Readonly<Record<string, number>>;
  /** What the gateway's care costs where nothing goes wrong; zeros for a run with a fault. */
  readonly polite: PoliteDay;
}

/** A run without a fault. */
export interface PoliteDay {
  readonly looks: number;
  readonly unexplainedLooks: number;
  readonly unexplainedMs: number;
  readonly reads: number;
  /** Answers with 503. */
  readonly unavailable: number;
}

export const noPoliteDay: PoliteDay = { looks: 0, unexplainedLooks: 0, unexplainedMs: 0, reads: 0, unavailable: 0 };

/** One run of a plan: the world with its broker, its machine, a gateway and its clients. */
export class Simulation {
  private readonly trace: Trace;
  private readonly random: SeededRandom;
  private readonly broker: SimulatedBroker;
  private readonly machine: GatewayMachine;
  private readonly lane: TerminalLane;
  private readonly linkWeather: LinkWeather;
  private readonly wall: WallClock = { offMs: 0 };
  private readonly gateway: GatewayProcess;
  private readonly http: HttpPath;
  private readonly book = new AskBook();
  private readonly judge: Judge;
  private readonly asking: Asking;
  private readonly operator: Operator;
  private readonly strategies: FencedStrategies;
  private readonly weather: Weather;
  private readonly sends: SendRecord[] = [];
  private readonly cores = new ReplayedCores((invariant, problems) => this.judge.report(invariant, problems));
  private link: SimulatedLink | null = null;
  private requests = 0;
  private readonly faults: Record<string, number> = {};
  private polite = noPoliteDay;

  constructor(
    private readonly plan: Plan,
    private readonly time: VirtualTime,
    keptLines = 400,
  ) {
    this.trace = new Trace(time, keptLines);
    const trace = (line: string): void => this.trace.write(line);
    this.random = new SeededRandom(`run ${plan.seed}`);
    const { marginMode, commission = 0 } = plan;
    this.broker = new SimulatedBroker(time, Number(plan.seed) || 1, {
      commission,
      ...(marginMode ? { marginMode } : {}),
    });
    this.machine = new GatewayMachine(time, this.random.fork('disk'));
    this.lane = new TerminalLane(time);
    const settings = simulatedSettings(this.machine, account.login, plan.settings);
    this.linkWeather = new LinkWeather(this.random.fork('link'), settings.TERMINAL_TRADE_TIMEOUT_MS);
    this.judge = new Judge({
      time,
      broker: this.broker,
      book: this.book,
      sends: this.sends,
      journaled: this.machine.journaled,
      diskCallMs: () => this.machine.callMs,
      hasLostLines: () => this.machine.hasLostLines,
      mayLoseExits: () => this.machine.mayLoseExits,
      login: account.login,
      unwritableSince: () => this.machine.unwritableSinceMs,
      unreachableSince: () => this.linkWeather.unreachableSinceMs ?? this.weather.serverLostSinceMs,
      limits: {
        symbols: ['EURUSD', 'USDJPY'],
        mostOrderVolume: settings.MAX_ORDER_VOLUME,
        mostOpenVolume: settings.MAX_OPEN_VOLUME ?? Number.POSITIVE_INFINITY,
        mostOpenVolumePerSymbol: settings.MAX_OPEN_VOLUME_PER_SYMBOL ?? Number.POSITIVE_INFINITY,
        mostPerMinute: settings.MAX_ORDERS_PER_MINUTE ?? Number.POSITIVE_INFINITY,
        mostDailyLoss: settings.MAX_DAILY_LOSS ?? Number.POSITIVE_INFINITY,
      },
      listsLateMs: () => this.weather.listsLateMs,
      isClockOff: () => this.wall.offMs !== 0,
    });
    this.gateway = new GatewayProcess({
      time,
      settings,
      trace,
      edge: (run) => ({
        clock: new InstanceClock(time, run.life, this.wall),
        newId: this.newId(run),
        terminal: (this.link = this.linkOf(run, {
          readMs: settings.TERMINAL_CALL_TIMEOUT_MS,
          sendMs: settings.TERMINAL_TRADE_TIMEOUT_MS,
          loginMs: 60_000,
        })),
        recording: this.cores.ofGateway('gateway'),
        ...this.machine.edge(run.calls),
      }),
      ended: (run, crash) => {
        this.machine.crash(crash);
        this.judge.runEnded(run.number, this.machine.auditLogs, crash);
      },
      failedToStart: (run, error) => this.judge.failedToStart(run.number, error),
      answered: (request, answer) => this.judge.documented(this.undocumented(request, answer)),
    });
    const askedAtMs = new Map<Ask, number>();
    this.http = new HttpPath(time, this.random.fork('http'), async (request) => {
      this.requests += 1;
      const ask = this.asking.askOf(request);
      if (ask) this.judge.delivered(ask);
      const deliveredAtMs = this.time.elapsedMs;
      const answer = await watchingFences(this.judge.fences, request, (one) => this.gateway.deliver(one));
      if (answer) this.count(request, answer);
      if (answer && request.url.startsWith('/health')) this.judge.toldHealth(answer, deliveredAtMs);
      if (answer && request.url === '/get_positions') this.judge.toldList('positions', answer, deliveredAtMs);
      if (answer && request.url.startsWith('/events')) this.judge.events.answered(request.url, answer);
      // What is told again is the story of an earlier instant; what is found out later is of all that was open when it was asked.
      if (ask && !askedAtMs.has(ask)) askedAtMs.set(ask, deliveredAtMs);
      if (answer && ask?.kind === 'close_all' && ask.lastWord !== 'done') {
        const isRecovered = answer.body['recovered'] === true;
        const sinceMs = isRecovered ? (askedAtMs.get(ask) ?? deliveredAtMs) : deliveredAtMs;
        this.judge.flattenings.toldClient(ask, answer, sinceMs);
      }
      if (answer && request.url === '/orders') this.judge.toldList('orders', answer, deliveredAtMs);
      const outcome = answer === null ? 'no answer' : `${answer.status}${errorOf(answer)}`;
      if (request.method !== 'GET') trace(`${ask?.key ?? ''} ${request.method} ${request.url}: ${outcome}`);
      if (ask) this.judge.answered(ask, request, answer, deliveredAtMs);
      return answer;
    });
    this.strategies = new FencedStrategies({
      ...{ time, trace, http: this.http, random: this.random.fork('leases') },
      meet: (port, skip, run) => this.gateway.meet(port, skip, run),
    });
    this.asking = new Asking({
      time,
      trace,
      http: this.http,
      book: this.book,
      broker: this.broker,
      random: this.random.fork('asking'),
      strategies: this.strategies,
      lookedUp: (ask, answer) => this.judge.words.lookedUp(ask, answer),
    });
    this.operator = new Operator({
      time,
      trace,
      deliver: (request) => this.gateway.deliver(request),
      machine: this.machine,
      logIn: () => this.broker.logInByHand(),
      knowsOrder: (ticket) => this.broker.orderAt(ticket) !== null,
      meet: (port, skip, run) => this.gateway.meet(port, skip, run),
      judge: this.judge,
    });
    this.weather = new Weather({
      time,
      trace,
      gateway: this.gateway,
      lane: this.lane,
      link: () => this.link,
      linkWeather: this.linkWeather,
      http: this.http,
      broker: this.broker,
      machine: this.machine,
      acceptJournal: (afterMs) => void this.time.schedule(afterMs, () => this.operator.acceptJournal()),
      acceptAccount: () => this.operator.acceptAccount(),
      wall: this.wall,
      judge: this.judge,
    });
  }

  /** Something happened that would have ended the process of a gateway. */
  crashed(error: unknown): void {
    this.judge.crashed(error);
  }

  /** Runs the plan to its end, or to the first violation. */
  async run(): Promise<RunResult> {
    await this.broker.start();
    this.gateway.start();
    await this.runUntil(readyAtMs);
    const beginMs = this.time.elapsedMs;
    for (const step of this.plan.steps) this.time.schedule(step.atMs, () => this.take(step));
    await this.runUntil(beginMs + this.plan.lengthMs);
    this.weather.clear();
    this.operator.calm();
    const calmAtMs = this.time.elapsedMs;
    // Once at least: the gateway has lines to write that a full disk has not taken.
    do {
      this.asking.resume();
      await this.runUntil(this.time.elapsedMs + 5_000);
    } while (!this.judge.violation && this.time.elapsedMs < calmAtMs + settleWithinMs && !this.isOver);
    if (Object.keys(this.faults).length === 0) await this.askMetrics();
    await this.readAllEvents();
    if (!this.judge.violation) {
      this.judge.end(this.time.elapsedMs - calmAtMs, this.machine.auditLogs, this.strategies.open);
    }
    return this.result();
  }

  /** A client reads the event log from its beginning. */
  private async readAllEvents(): Promise<void> {
    for (let url: string | null = '/events?limit=1000'; url !== null && !this.judge.violation;) {
      const request: HttpRequest = { method: 'GET', url };
      let next: string | null = null;
      void this.gateway.deliver(request).then((answer) => {
        if (answer) this.judge.events.answered(url ?? '', answer);
        const { data, next_since } = (answer?.body ?? {}) as { data?: readonly unknown[]; next_since?: number };
        next = data && data.length > 0 ? `/events?limit=1000&since=${next_since}` : null;
      });
      await this.runUntil(this.time.elapsedMs + 2_000);
      url = next;
    }
    if (!this.judge.violation) this.judge.events.end();
  }

  /** What the looks at the account cost. */
  private async askMetrics(): Promise<void> {
    let text = '';
    void this.gateway.deliver({ method: 'GET', url: '/metrics' }).then((answer) => (text = answer?.text ?? ''));
    await this.runUntil(this.time.elapsedMs + 1_000);
    const figureOf = (name: string): number =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')[1],
      );
    const [explained, unexplained] = ['yes', 'no'].map((is) => figureOf(`account_looks_total{explained="${is}"}`));
    this.polite = {
      ...{ ...this.polite, looks: (explained ?? 0) + (unexplained ?? 0), unexplainedLooks: unexplained ?? 0 },
      unexplainedMs: Math.round(figureOf('account_unexplained_seconds_total') * 1_000),
    };
  }

  private get isOver(): boolean {
    return this.asking.isOver && this.operator.isIdle && this.strategies.open.length === 0;
  }

  private runUntil(atMs: number): Promise<void> {
    return this.time.runUntil(atMs, () => this.judge.violation !== null);
  }

  private take(step: Step): void {
    if (!['ask', 'repeat', 'read'].includes(step.kind)) {
      this.faults[step.kind] = (this.faults[step.kind] ?? 0) + 1;
    }
    switch (step.kind) {
      case 'ask':
        return this.asking.begin(step);
      case 'repeat':
        return this.asking.repeat(step);
      case 'read':
        return void this.http.ask({ method: 'GET', url: this.judge.events.urlOf(step.url) }, 30_000);
      case 'halt':
      case 'release':
      case 'touch switch':
      case 'touch switch at':
      case 'remove switch':
      case 'rotate audit log':
        return this.operator.act(step);
      case 'raise a fence':
      case 'raise an older fence':
        return this.strategies.take(step);
      default:
        return this.weather.strike(step);
    }
  }

  private linkOf(run: GatewayRun, deadlines: { readMs: number; sendMs: number; loginMs: number }): SimulatedLink {
    return new SimulatedLink({
      time: this.time,
      life: run.life,
      calls: run.calls,
      weather: this.linkWeather,
      lane: this.lane,
      deadlines,
      session: this.broker.simulator.connect(),
      sending: (request) => this.sending(run, request),
      execute: async (session, request, send) => {
        const outcome = await this.broker.execute(session, request, send, this.time.elapsedMs);
        this.trace.write(`send ${send.number} ${send.fate}, retcode ${send.retcode}`);
        this.judge.executed(send);
        return outcome;
      },
      accountRead: (login) => {
        this.judge.accounts.read(run.number, login);
        this.judge.losses.sample();
      },
      lookUps: this.judge.words.lookUps,
      terminalRead: (beganMs) => this.judge.accounts.terminalRead(run.number, beganMs),
      trace: (line) => this.trace.write(line),
    });
  }

  private get inTransit(): TradeRequest[] {
    return this.sends.filter(({ fate }) => fate === 'in transit').map((send) => send.request);
  }

  private sending(run: GatewayRun, { intentId, request }: JournaledRequest): SendRecord {
    const standing = this.broker.standing(request);
    // A change of a position that was closed meanwhile still keeps its levels, which are not a wish of its request.
    const last = this.broker.lastStanding(request);
    const send: SendRecord = {
      number: this.sends.length + 1,
      run: run.number,
      intentId,
      atMs: this.time.elapsedMs,
      request,
      marker: markerOf(request, (change) => this.book.changeBy(change, last)),
      addedLots: this.broker.addedLots(request, this.inTransit),
      standing,
      replaced: null,
      isRefused: false,
      isForgotten: false,
      executedAtMs: null,
      answeredAtMs: null,
      fate: 'in transit',
      retcode: null,
      login: null,
    };
    this.judge.sending(send);
    this.sends.push(send);
    return send;
  }

  private count({ method, url }: HttpRequest, { status }: HttpAnswer): void {
    const { reads, unavailable } = this.polite;
    this.polite = {
      ...this.polite,
      reads: reads + (method === 'GET' ? 1 : 0),
      unavailable: unavailable + (status === 503 ? 1 : 0),
    };
    if (status === 503 && Object.keys(this.faults).length === 0) this.trace.write(`503 for ${method} ${url}`);
  }

  /** What the OpenAPI document does not say of an answer. */
  private undocumented({ method, url }: HttpRequest, { status, text, headers }: HttpAnswer): string[] {
    const contentType = headers['content-type'];
    return (
      this.gateway.documented?.problems({
        ...{ method, url, status, text },
        contentType: typeof contentType === 'string' ? contentType : undefined,
      }) ?? []
    );
  }

  private newId(run: GatewayRun): () => string {
    const random = this.random.fork(`ids of run ${run.number}`);
    return () => seededId(random);
  }

  private result(): RunResult {
    const { violation } = this.judge;
    if (violation) this.trace.write(`VIOLATION ${violation.invariant}: ${violation.what}`);
    return {
      seed: this.plan.seed,
      violation,
      digest: this.trace.digest,
      traceLines: this.trace.lines,
      lastLines: this.trace.lastLines,
      figures: {
        virtualMs: this.time.elapsedMs,
        requests: this.requests,
        asks: this.book.asks.size,
        sends: this.sends.length,
        executed: this.sends.filter(({ fate }) => fate === 'done').length,
        kills: this.gateway.kills,
        starts: this.gateway.starts,
        replayed: this.cores.events,
        faults: this.faults,
        polite: Object.keys(this.faults).length === 0 ? this.polite : noPoliteDay,
      },
    };
  }
}

function errorOf({ body }: HttpAnswer): string {
  return typeof body['error_type'] === 'string' ? ` ${body['error_type']}` : '';
}
