import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { machineFiles } from '@libs/files';
import { readSettings } from '@libs/settings';
import { type Fault, Simulator, simulatorOptions, simulatorSettings } from '@libs/simulator';
import type { TerminalClient } from '@libs/terminal-client';
import { BrokerClock } from '../../terminal/broker-clock';
import { OffsetStore } from '../offset.store';
import { ServerTime } from '../server-time';
import type { ServerTimeOptions } from '../server-time-options';
import { ServerTimeUnavailableError } from '../server-time-unavailable.error';

/** The specified defaults, except longer pauses between reads: the simulated market moves every few seconds. */
const defaults: ServerTimeOptions = {
  zone: null,
  fixedOffsetSeconds: null,
  referenceSymbol: null,
  deriveAttempts: 10,
  deriveDelayMs: 2_000,
  refreshMs: 600_000,
  confirmations: 2,
  maxOffsetAgeMs: 21_600_000,
  orderDeriveAttempts: 5,
  orderDeriveDelayMs: 2_000,
};

interface RigOptions {
  readonly zone?: string;
  readonly startMs?: number;
  /** A folder that outlives the rig, to restart on. */
  readonly stateDir?: string;
  /** Market seconds in a second. */
  readonly speed?: number;
}

/** Server time with a simulated broker whose quotes move. */
export class TimeRig {
  readonly warnings: string[] = [];
  readonly notes: string[] = [];

  private constructor(
    readonly clock: VirtualClock,
    readonly simulator: Simulator,
    readonly terminal: TerminalClient,
    readonly stateDir: string,
    private time: ServerTime | null,
  ) {}

  get serverTime(): ServerTime {
    if (!this.time) throw new Error('the rig has no server time yet');
    return this.time;
  }

  static async create(options: Partial<ServerTimeOptions> = {}, rig: RigOptions = {}): Promise<TimeRig> {
    // A Tuesday in winter: Athens is two hours ahead of UTC.
    const clock = new VirtualClock(rig.startMs ?? Date.UTC(2024, 0, 16, 10));
    const env = {
      SIM_HISTORY_DAYS: '2',
      SIM_SERVER_TIME_ZONE: rig.zone ?? 'Europe/Athens',
      SIM_SPEED: String(rig.speed ?? 1),
    };
    const simulator = new Simulator({ ...simulatorOptions(readSettings(simulatorSettings, env)), pumpMs: 0 }, clock);
    await simulator.start();
    simulator.loginByHand();
    const terminal = simulator.connect();
    await terminal.connect();
    const stateDir = rig.stateDir ?? mkdtempSync(join(tmpdir(), 'server-time-'));
    const created = new TimeRig(clock, simulator, terminal, stateDir, null);
    await created.restart(options);
    return created;
  }

  /** Starts a gateway again on the same state folder. */
  async restart(options: Partial<ServerTimeOptions> = {}): Promise<void> {
    this.time?.disconnected();
    await this.time?.kept();
    this.time = new ServerTime(
      { ...defaults, ...options },
      this.terminal,
      this.clock,
      { log: (message) => this.notes.push(message), warn: (message) => this.warnings.push(message) },
      await OffsetStore.open(machineFiles, this.stateDir),
      new BrokerClock(this.clock, this.simulator),
    );
  }

  /** Connects and waits for a derivation to end. */
  async connect(server = 'Simulator-Demo'): Promise<void> {
    this.serverTime.connected(server);
    await this.clock.advance(20_000);
    await this.serverTime.kept();
  }

  breakWith(fault: Fault): void {
    this.simulator.faults.set(fault);
  }

  /** The order's expiry on the server, or the reason of the denial. */
  async order(symbol: string, utcMs: number): Promise<number | { reason: string; ageSeconds?: number | undefined }> {
    const answer = this.serverTime.requireForOrder(symbol, utcMs).catch((error: unknown) => {
      if (!(error instanceof ServerTimeUnavailableError)) throw error;
      return { reason: error.reason, ageSeconds: error.ageSeconds };
    });
    await this.clock.advance(10_000);
    return answer;
  }

  async end(): Promise<void> {
    this.time?.disconnected();
    await this.time?.kept();
    await this.simulator.stop();
    if (this.stateDir.startsWith(tmpdir())) rmSync(this.stateDir, { recursive: true, force: true });
  }
}
