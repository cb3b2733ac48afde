import { backoffMs, type Clock } from '@libs/clock';
import { type HostStanding } from './host-standing';
import { type HostLog } from './host-events';
import { type TerminalHostStatus } from './host-status';
import { type Installer } from './installer';
import { type Lifetime } from './lifetime';
import { loginPollMs } from './login-loop';
import { type LoginRounds } from './login-rounds';
import { type SessionView } from './session-view';
import { type StartupFile } from './startup-file';
import { type SupervisedProcess } from './supervised-process';
import { type TerminalProgram } from './terminal-program';

export interface TerminalHostParts {
  readonly standing: HostStanding;
  readonly installer: Installer;
  readonly program: TerminalProgram;
  readonly startupFile: StartupFile;
  /** The core settings that are not set, by name. */
  readonly missingSettings: readonly string[];
  /** Automatic login; absent if a core setting is missing. */
  readonly rounds: LoginRounds | undefined;
  readonly bridge: SupervisedProcess;
  readonly desktop: SupervisedProcess | undefined;
  /** Dismisses dialogs that block an installation or a login round. */
  readonly dialogs: SupervisedProcess | undefined;
  readonly session: SessionView;
  /** Resolves once there is a display for the terminal's window, or after a limited time. */
  readonly displayReady: () => Promise<void>;
  /** Ends processes that a stopped terminal left behind (`wineserver -k`). */
  readonly sweep: () => Promise<void>;
}

/** Delays between failed login rounds, restarts of a terminal, and installation attempts. */
const backOff = { firstMs: 30_000, longestMs: 600_000 };
/** Checks without a terminal process after which it is not merely restarting itself. */
const goneLooks = 3;
/** Checks for a login by a terminal that was running before this process. */
const adoptLooks = 6;
/** A terminal that ran this long counts as healthy: its next restart has no extra delay. */
const healthyMs = 600_000;

/**
 * Runs the real terminal unattended: installs it, logs it in, and keeps it and the bridge running, without disturbing a
 * working session. {@link status} reports problems; the HTTP API is always available.
 */
export class TerminalHost {
  private running: Promise<void> | undefined;
  private failedStarts = 0;

  constructor(
    private readonly parts: TerminalHostParts,
    private readonly clock: Clock,
    private readonly log: HostLog,
    private readonly lifetime: Lifetime,
  ) {}

  /** Begins, in the background. */
  start(): void {
    this.running ??= this.run();
  }

  /** Whether {@link restart} does something: the terminal is logged in. */
  get mayRestart(): boolean {
    return !this.lifetime.isOver && this.parts.standing.state === 'logged_in';
  }

  /**
   * Ends the bridge, so that nothing is sent to a terminal that is about to end, and the terminal, which is then started and logged
   * in again as after an exit. Nothing happens unless it is logged in.
   */
  async restart(): Promise<void> {
    if (!this.mayRestart) return;
    await this.parts.bridge.stop();
    await this.parts.program.stop();
  }

  /** Ends the bridge, the terminal and the desktop, in this order, each with all processes that it started. */
  async stop(): Promise<void> {
    this.lifetime.end();
    await this.running;
    await this.parts.bridge.stop();
    await this.parts.program.stop();
    await this.parts.startupFile.remove();
    await this.parts.desktop?.stop();
    await this.parts.sweep();
    this.parts.standing.enter('stopped', 'the host was stopped');
    this.log.event('host stopped');
  }

  status(): TerminalHostStatus {
    const { program, bridge, desktop, rounds, standing } = this.parts;
    return standing.status({
      trying: rounds?.loop.current ?? null,
      terminal_launches: program.launchCount,
      bridge: bridge.status,
      desktop: desktop?.status ?? null,
    });
  }

  private async run(): Promise<void> {
    this.parts.desktop?.start();
    for (let failures = 0; !this.lifetime.isOver; failures++) {
      try {
        if (await this.parts.startupFile.isThere()) this.log.event('startup file left behind');
        await this.parts.startupFile.remove();
        const executable = await this.installedUnattended();
        if (executable === undefined) return;
        await this.parts.displayReady();
        await this.adopt(executable);
        for (;;) {
          await this.oneLife(executable);
          if (this.lifetime.isOver) return;
          failures = 0;
        }
      } catch (error) {
        const reason = (error as Error).message;
        this.parts.standing.enter('failed', reason);
        this.log.event('host failed', { reason });
        await this.pause(failures);
      }
    }
  }

  private async installedUnattended(): Promise<string | undefined> {
    this.parts.dialogs?.start();
    try {
      return await this.installed();
    } finally {
      await this.parts.dialogs?.stop();
    }
  }

  private async installed(): Promise<string | undefined> {
    for (let failures = 0; !this.lifetime.isOver; failures++) {
      this.parts.standing.enter('installing', 'locating or installing the terminal');
      const outcome = await this.parts.installer.ensure();
      if (outcome.kind === 'present') {
        this.parts.standing.executable = outcome.executable;
        return outcome.executable;
      }
      this.parts.standing.enter('not_installed', outcome.reason);
      if (!outcome.retryable) return undefined;
      await this.pause(failures);
    }
    return undefined;
  }

  /** A terminal that outlived an earlier host may be logged in: give the session time to detect it. */
  private async adopt(executable: string): Promise<void> {
    if (!(await this.parts.program.adopt(executable))) return;
    this.log.event('running terminal found');
    this.parts.bridge.start();
    for (let look = 0; look < adoptLooks && !this.lifetime.isOver; look++) {
      await this.lifetime.sleep(loginPollMs);
      if (this.parts.session.loggedInAs() !== null) return;
    }
  }

  /** From launch to exit of the terminal, with every login round in between. */
  private async oneLife(executable: string): Promise<void> {
    const startedMs = this.clock.monotonicMs();
    const { rounds } = this.parts;
    if (rounds && !rounds.isGivenUp) await this.logIn(rounds, executable);
    else await this.offerManualLogin(executable);
    await this.watch();
    if (this.lifetime.isOver) return;
    const { code, signal } = this.parts.program.exit ?? { code: null, signal: null };
    this.log.event('terminal exited', { code, signal });
    // Stopping the bridge makes the session notice at once that the terminal is gone.
    await this.parts.bridge.stop();
    this.failedStarts = this.clock.monotonicMs() - startedMs >= healthyMs ? 0 : this.failedStarts + 1;
    if (this.failedStarts < 2) return;
    this.parts.standing.enter('waiting_to_retry', 'the terminal exits repeatedly');
    await this.pause(this.failedStarts - 2);
  }

  private async logIn(rounds: LoginRounds, executable: string): Promise<void> {
    for (let round = 0; !this.lifetime.isOver; round++) {
      if (await rounds.round(executable)) return;
      this.parts.standing.enter('waiting_to_retry', this.parts.standing.message);
      await this.pause(round);
      if (rounds.notice()) return;
    }
  }

  private async offerManualLogin(executable: string): Promise<void> {
    if (!(await this.parts.program.isRunning())) {
      await this.parts.program.launch(executable);
      this.log.event('terminal launched', { candidate: null, launch: this.parts.program.launchCount });
    }
    this.parts.bridge.start();
    this.log.event('manual login awaited');
    if (this.parts.rounds) return;
    this.parts.standing.enter(
      'manual_login',
      `not set: ${this.parts.missingSettings.join(', ')}; log in manually on the desktop (port 3000), or set the missing settings`,
    );
  }

  /** Resolves once no terminal has run for longer than a self-update takes. */
  private async watch(): Promise<void> {
    for (let gone = 0; gone < goneLooks && !this.lifetime.isOver;) {
      await this.lifetime.sleep(loginPollMs);
      gone = (await this.parts.program.isRunning()) ? 0 : gone + 1;
      this.noticeLogin();
    }
  }

  /** An operator may log in manually at any time. */
  private noticeLogin(): void {
    const login = this.parts.session.loggedInAs();
    if (this.parts.rounds) this.parts.rounds.notice();
    else if (login !== null && this.parts.standing.state !== 'logged_in') {
      this.parts.standing.enter('logged_in', `account ${login} was logged in manually`);
      this.log.event('logged in', { login, candidate: null, seen_in: 'session' });
    }
  }

  /** Waits before another attempt; returns early if the account logs in meanwhile. */
  private async pause(attempt: number): Promise<void> {
    const delayMs = backoffMs(attempt, backOff);
    this.parts.standing.retriesIn(delayMs);
    this.log.event('retry scheduled', { in_seconds: delayMs / 1_000, reason: this.parts.standing.message });
    for (let waitedMs = 0; waitedMs < delayMs && !this.lifetime.isOver; waitedMs += loginPollMs) {
      await this.lifetime.sleep(Math.min(loginPollMs, delayMs - waitedMs));
      if (this.parts.session.loggedInAs() === this.parts.rounds?.login) return;
    }
  }
}
