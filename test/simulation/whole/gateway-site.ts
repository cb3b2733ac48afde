import type { JournaledRequest } from '@libs/terminal-client';
import type { Crash } from '@libs/simulated-disk';
import { account, SimulatedBroker } from '../broker';
import { GatewayProcess, type GatewayRun } from '../gateway-process';
import { InstanceClock, type WallClock } from '../instance-clock';
import { LinkWeather } from '../link-weather';
import { GatewayMachine } from '../machine';
import { Operator, type OperatorJudge } from '../operator';
import type { ReplayedCores } from '../replayed-cores';
import type { SeededRandom } from '../seeded-random';
import { closeMarker, markerOf, type SendRecord } from '../sends';
import { simulatedSettings } from '../simulated-settings';
import { SimulatedLink } from '../simulated-link';
import type { Prices } from '../recorded-prices';
import type { FaultStep, MarginMode, OperatorStep } from '../steps';
import { TerminalLane } from '../terminal-lane';
import { seededId } from '../virtual-globals';
import type { VirtualTime } from '../virtual-time';
import { Weather, type WeatherJudge } from '../weather';
import { GatewayWay } from './gateway-way';
import type { WayAction } from './whole-steps';

/** Hears what happens at a gateway. */
export interface SiteJudge extends WeatherJudge, OperatorJudge {
  sending(send: SendRecord): void;
  executed(send: SendRecord): void;
  gatewayEnded(): void;
  failedToStart(run: number, error: unknown): void;
}

export interface SiteWorld {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly settings: Readonly<Record<string, string>>;
  readonly marginMode: MarginMode;
  readonly prices: Prices;
  /** What the broker takes of each deal for a lot. */
  readonly commission: number;
  readonly cores: ReplayedCores;
  trace(line: string): void;
}

/** One gateway with its machine, its link, its broker, and the way to it. */
export class GatewaySite {
  readonly name: string;
  readonly login: number;
  readonly broker: SimulatedBroker;
  readonly machine: GatewayMachine;
  readonly gateway: GatewayProcess;
  readonly way: GatewayWay;
  readonly sends: SendRecord[] = [];
  readonly linkWeather: LinkWeather;
  readonly operator: Operator;
  private readonly lane: TerminalLane;
  private readonly wall: WallClock = { offMs: 0 };
  private readonly weather: Weather;
  private link: SimulatedLink | null = null;
  private isOver = false;

  /** @param number of the gateway, from 0 */
  constructor(
    readonly number: number,
    private readonly world: SiteWorld,
    private readonly judge: SiteJudge,
  ) {
    const { time, random } = world;
    this.name = `gw${number}`;
    this.login = account.login + number;
    const { marginMode, prices, commission } = world;
    this.broker = new SimulatedBroker(time, random.integer(1, 1_000_000), {
      ...{ marginMode, prices, commission, login: this.login },
    });
    this.machine = new GatewayMachine(time, random.fork('disk'));
    this.lane = new TerminalLane(time);
    const settings = simulatedSettings(this.machine, this.login, world.settings);
    this.linkWeather = new LinkWeather(random.fork('link'), settings.TERMINAL_TRADE_TIMEOUT_MS);
    const deadlines = {
      readMs: settings.TERMINAL_CALL_TIMEOUT_MS,
      sendMs: settings.TERMINAL_TRADE_TIMEOUT_MS,
      loginMs: 60_000,
    };
    const trace = (line: string): void => world.trace(`${this.name}: ${line}`);
    this.gateway = new GatewayProcess(
      {
        ...{ time, settings, trace, answered: () => undefined },
        edge: (run) => ({
          clock: new InstanceClock(time, run.life, this.wall),
          newId: this.newId(run),
          terminal: (this.link = this.linkOf(run, deadlines)),
          recording: world.cores.ofGateway(this.name),
          ...this.machine.edge(run.calls),
        }),
        ended: (_, crash) => this.ended(crash),
        failedToStart: (run, error) => judge.failedToStart(run.number, error),
      },
      'gateway',
    );
    this.way = new GatewayWay(time, random.fork('way'), this.gateway);
    this.operator = new Operator({
      ...{ time, trace, machine: this.machine, judge },
      deliver: (request) => this.gateway.deliver(request),
      logIn: () => this.broker.logInByHand(),
      knowsOrder: (ticket) => this.broker.orderAt(ticket) !== null,
      meet: (port, skip, run) => this.gateway.meet(port, skip, run),
    });
    this.weather = new Weather({
      ...{ time, trace, judge, gateway: this.gateway, lane: this.lane, linkWeather: this.linkWeather },
      ...{ http: this.way, broker: this.broker, machine: this.machine, wall: this.wall },
      link: () => this.link,
      acceptJournal: (afterMs) => void time.schedule(afterMs, () => this.operator.acceptJournal()),
      acceptAccount: () => this.operator.acceptAccount(),
    });
  }

  async start(): Promise<void> {
    await this.broker.start();
    this.gateway.start();
  }

  take(step: FaultStep | OperatorStep | WayAction): void {
    switch (step.kind) {
      case 'outage':
        this.world.trace(`${this.name}: no connection for ${step.ms} ms`);
        this.way.break(step.silent);
        this.world.time.schedule(step.ms, () => {
          if (!this.isOver) this.way.mend();
        });
        return;
      case 'cut streams':
        return this.way.cutStreams();
      case 'halt':
      case 'release':
      case 'touch switch':
      case 'touch switch at':
      case 'remove switch':
      case 'rotate audit log':
        return this.operator.act(step);
      default:
        return this.weather.strike(step);
    }
  }

  /** From now on nothing goes wrong, and operators end every halt. */
  calm(): void {
    this.isOver = true;
    this.weather.clear();
    this.operator.calm();
  }

  private ended(crash: Crash): void {
    this.machine.crash(crash);
    this.way.cutStreams();
    this.judge.gatewayEnded();
  }

  private linkOf(run: GatewayRun, deadlines: { readMs: number; sendMs: number; loginMs: number }): SimulatedLink {
    const { time } = this.world;
    return new SimulatedLink({
      ...{ time, life: run.life, calls: run.calls, weather: this.linkWeather, lane: this.lane, deadlines },
      session: this.broker.simulator.connect(),
      sending: (request) => this.sending(run, request),
      execute: async (session, request, send) => {
        const outcome = await this.broker.execute(session, request, send, time.elapsedMs);
        this.world.trace(`${this.name}: send ${send.number} ${send.fate}, retcode ${send.retcode}`);
        this.judge.executed(send);
        return outcome;
      },
      accountRead: () => undefined,
      terminalRead: () => undefined,
      trace: (line) => this.world.trace(`${this.name}: ${line}`),
    });
  }

  private sending(run: GatewayRun, { intentId, request }: JournaledRequest): SendRecord {
    const send: SendRecord = {
      number: this.sends.length + 1,
      run: run.number,
      intentId,
      atMs: this.world.time.elapsedMs,
      request,
      marker: markerOf(request, ({ position, order }) => closeMarker(position || order, 'change')),
      addedLots: this.broker.addedLots(request),
      standing: this.broker.standing(request),
      ...{
        replaced: null,
        executedAtMs: null,
        answeredAtMs: null,
        fate: 'in transit',
        retcode: null,
        isRefused: false,
        isForgotten: false,
        login: null,
      },
    };
    this.judge.sending(send);
    this.sends.push(send);
    return send;
  }

  private newId(run: GatewayRun): () => string {
    const random = this.world.random.fork(`ids of run ${run.number}`);
    return () => seededId(random);
  }
}
