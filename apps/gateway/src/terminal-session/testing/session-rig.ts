import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { type Fault, type FaultKind, Simulator, simulatorOptions, simulatorSettings } from '@libs/simulator';
import { type AccountInfo, type Credentials, type TerminalClient } from '@libs/terminal-client';
import type { AccountChange } from '../session-listeners';
import type { SessionOptions } from '../session-options';
import { SessionUnavailableError } from '../session-unavailable.error';
import { TerminalSession } from '../terminal-session';

export const account: Credentials = { login: 100_001, password: 'simulator', server: 'Simulator-Demo' };

/** The specified defaults. */
const defaults: SessionOptions = {
  credentials: account,
  reconnectAttempts: 3,
  reconnectBaseDelayMs: 1_000,
  cooldownMs: 5_000,
  cooldownMaxMs: 60_000,
  verifyTtlMs: 30_000,
  driver: 'simulator',
};

/** What the session logged and reported, in order, each with its second. */
export interface Heard {
  readonly second: number;
  readonly what: string;
}

/** A session with a simulated terminal, on a virtual clock that advances only when stepped. */
export class SessionRig {
  readonly heard: Heard[] = [];
  readonly connected: AccountInfo[] = [];
  readonly changes: AccountChange[] = [];
  private zeroMs = 0;

  private constructor(
    readonly clock: VirtualClock,
    readonly simulator: Simulator,
    readonly terminal: TerminalClient,
    readonly session: TerminalSession,
  ) {}

  /** A rig whose session is not started yet. */
  static async create(options: Partial<SessionOptions> = {}): Promise<SessionRig> {
    const clock = new VirtualClock(Date.UTC(2024, 4, 14, 10));
    const settings = readSettings(simulatorSettings, { SIM_HISTORY_DAYS: '2' });
    const simulator = new Simulator({ ...simulatorOptions(settings), pumpMs: 0 }, clock);
    await simulator.start();
    const terminal = simulator.connect();
    const said: string[] = [];
    const hear = (what: string): void => void (rig ? rig.note(what) : said.push(what));
    const session = new TerminalSession({ ...defaults, ...options }, terminal, clock, { log: hear, warn: hear });
    const rig: SessionRig = new SessionRig(clock, simulator, terminal, session);
    session.onConnected((info) => rig.connected.push(info));
    session.onAccountChanged((change) => rig.changes.push(change));
    session.onLogin(({ login }) => rig.note(`audit: login ${login}`));
    session.onLogout(({ login, reason }) => rig.note(`audit: logout ${login} (${reason})`));
    return rig;
  }

  /** A rig whose session is connected. */
  static async connected(options: Partial<SessionOptions> = {}): Promise<SessionRig> {
    const rig = await SessionRig.create(options);
    rig.session.start();
    await rig.clock.advance(0);
    return rig;
  }

  /** Restarts the seconds of `heard` at 0. */
  zero(): void {
    this.zeroMs = this.clock.monotonicMs();
    this.heard.length = 0;
  }

  /** Seconds of the lines of this kind. */
  secondsOf(pattern: RegExp): number[] {
    return this.heard.filter(({ what }) => pattern.test(what)).map(({ second }) => second);
  }

  async breakWith(fault: Fault): Promise<void> {
    this.simulator.faults.set(fault);
    await this.clock.advance(0);
  }

  mend(kind?: FaultKind): void {
    this.simulator.faults.clear(kind);
  }

  /** The result of a request now: `connected`, or the refusal with its Retry-After. */
  async request(): Promise<string> {
    try {
      await this.session.requireConnected();
      return 'connected';
    } catch (error) {
      if (!(error instanceof SessionUnavailableError)) throw error;
      return `${error.reason} ${error.retryAfterSeconds ?? '-'}`;
    }
  }

  async end(): Promise<void> {
    await this.session.stop();
    await this.simulator.stop();
  }

  private note(what: string): void {
    this.heard.push({ second: (this.clock.monotonicMs() - this.zeroMs) / 1_000, what });
  }
}
