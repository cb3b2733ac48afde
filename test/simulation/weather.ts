import type { Fault } from '@libs/simulator';
import type { SimulatedBroker } from './broker';
import type { GatewayProcess } from './gateway-process';
import type { HttpTrouble } from './http-path';
import type { WallClock } from './instance-clock';
import type { LinkWeather } from './link-weather';
import type { GatewayMachine } from './machine';
import { lagMs } from './invariants/whole-lists';
import type { FaultStep } from './steps';
import type { SimulatedLink } from './simulated-link';
import type { TerminalLane } from './terminal-lane';
import type { VirtualTime } from './virtual-time';

/** The way to the gateway. */
export interface TroubledPath {
  trouble(trouble: HttpTrouble): void;
  clear(): void;
}

/** Hears of what excuses a gateway. */
export interface WeatherJudge {
  paused(ms: number): void;
  otherAccount(sinceMs: number | null): void;
  journalLost(auditLogs: readonly string[]): void;
}

export interface WeatherWorld {
  readonly time: VirtualTime;
  readonly trace: (line: string) => void;
  readonly gateway: GatewayProcess;
  readonly lane: TerminalLane;
  /** The link of the present run. */
  readonly link: () => SimulatedLink | null;
  readonly linkWeather: LinkWeather;
  readonly http: TroubledPath;
  readonly broker: SimulatedBroker;
  readonly machine: GatewayMachine;
  /** An operator accepts the journal after a while. */
  readonly acceptJournal: (afterMs: number) => void;
  /** An operator accepts the account without rows that never were. */
  readonly acceptAccount: () => void;
  readonly wall: WallClock;
  readonly judge: WeatherJudge;
}

/** A terminal behind a slow link is asked less often whether it has its server. */
const slowNoticeMs = 30_000;

/** Lists that no fault concerns show within this time what the broker has done. */
const punctualMs = 2_000;

/** Everything that goes wrong: strikes as the plan says, and ends. */
export class Weather {
  private isOver = false;
  /** When the gateway must have noticed that the terminal has lost its server, but for a moment; null while it has it. */
  serverLostSinceMs: number | null = null;

  private listsLateUntilMs = -Infinity;

  constructor(private readonly world: WeatherWorld) {}

  /** By how much the lists of the terminal may be late, in milliseconds: a minute during a fault of the broker, and after it. */
  get listsLateMs(): number {
    return this.world.time.elapsedMs <= this.listsLateUntilMs ? lagMs : punctualMs;
  }

  strike(step: FaultStep): void {
    const { gateway, lane, linkWeather, http, wall, trace, judge } = this.world;
    trace(`fault: ${JSON.stringify(step)}`);
    switch (step.kind) {
      case 'kill':
        return gateway.killNow(step);
      case 'kill at':
        return gateway.killAt(step.order, step);
      case 'pause':
        judge.paused(step.ms);
        return gateway.pause(step.ms);
      case 'wall clock':
        wall.offMs += step.byMs;
        return;
      case 'cut':
        return this.cut(step.outageMs);
      case 'slow link':
        linkWeather.slowDown(step.meanMs);
        return this.later(step.ms, () => linkWeather.slowDown(null));
      case 'freeze':
        return lane.freeze(step.ms);
      case 'send trouble':
        return linkWeather.trouble(step.trouble);
      case 'http trouble':
        return http.trouble(step.trouble);
      case 'broker': {
        const { faults } = this.world.broker.simulator;
        this.listsLateUntilMs = Math.max(this.listsLateUntilMs, this.world.time.elapsedMs + (step.ms ?? lagMs) + lagMs);
        faults.set(this.inTime(step.fault));
        if (step.fault.kind === 'other-account') judge.otherAccount(this.world.time.elapsedMs);
        if (step.fault.kind === 'server-lost') this.serverLostSinceMs ??= this.world.time.elapsedMs + slowNoticeMs;
        return this.later(step.ms, () => {
          faults.clear(step.fault.kind);
          if (step.fault.kind === 'other-account') judge.otherAccount(null);
          if (step.fault.kind === 'server-lost') this.serverLostSinceMs = null;
          if (step.fault.kind === 'passing-rows') this.world.acceptAccount();
        });
      }
      case 'lose journal':
        gateway.killNow({ downMs: step.downMs, crash: 'process' });
        this.world.machine.loseJournal();
        judge.journalLost(this.world.machine.auditLogs);
        return this.world.acceptJournal(step.acceptedAfterMs);
      case 'disk':
        this.world.machine.strike(step.disk, step.fault);
        return this.later(step.ms, () => this.world.machine.clear());
    }
  }

  /** From now on nothing goes wrong, and the gateway runs. */
  clear(): void {
    const { gateway, linkWeather, http, broker, machine, trace } = this.world;
    this.isOver = true;
    trace('all faults end');
    gateway.spare();
    linkWeather.clear();
    http.clear();
    broker.simulator.faults.clear();
    this.serverLostSinceMs = null;
    machine.clear();
    gateway.start();
  }

  /** A list that begins to lag does not take back what it has shown. */
  private inTime(fault: Fault): Fault {
    return fault.kind === 'lag' ? { ...fault, ms: Math.min(fault.ms, this.world.broker.newestAgeMs) } : fault;
  }

  private cut(outageMs: number): void {
    const { linkWeather, link } = this.world;
    if (outageMs > 0) linkWeather.unreachableSinceMs ??= this.world.time.elapsedMs;
    link()?.lose('the link was cut');
    this.later(outageMs, () => (linkWeather.unreachableSinceMs = null));
  }

  private later(ms: number | undefined, end: () => void): void {
    if (ms === undefined) return;
    this.world.time.schedule(ms, () => {
      if (!this.isOver) end();
    });
  }
}
