import { type HostLog } from './host-events';
import { type Journal } from './journal';
import { type JournalVerdict, journalVerdict } from './journal-verdict';
import { type Lifetime } from './lifetime';
import { type SessionView } from './session-view';
import { type Credentials, type StartupFile } from './startup-file';
import { type SupervisedProcess } from './supervised-process';
import { type TerminalProgram } from './terminal-program';

export interface LoginLoopOptions {
  readonly credentials: Credentials;
  /** TERMINAL_LOGIN_FIRST_TRIES: polls for the first candidate. */
  readonly firstTries: number;
  /** TERMINAL_LOGIN_TRIES: polls for each later one. */
  readonly tries: number;
}

export type LoginOutcome =
  | { readonly kind: 'logged in'; readonly candidate: string | null; readonly by: 'journal' | 'session' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'other account'; readonly login: number }
  | { readonly kind: 'exhausted'; readonly reason: string }
  | { readonly kind: 'stopped' };

/** Pause between two reads of journal and session. */
export const loginPollMs = 5_000;
/** Checks without a process before the terminal is launched again, because a self-update takes a while. */
const awayPolls = 3;

/** One round of logging in: each candidate address gets a launch and its polls, until the account is logged in. */
export class LoginLoop {
  /** The candidate being tried, for /health. */
  current: string | null = null;

  constructor(
    private readonly options: LoginLoopOptions,
    private readonly parts: {
      readonly program: TerminalProgram;
      readonly startupFile: StartupFile;
      readonly journal: Journal;
      readonly session: SessionView;
      readonly log: HostLog;
      readonly lifetime: Lifetime;
      /** Runs only during a round: between rounds an operator may use the dialogs. */
      readonly dialogs: SupervisedProcess | undefined;
      /** Starts the bridge, unless it runs. */
      readonly attach: () => void;
      /** Called before each deliberate stop of the terminal. */
      readonly beforeStop: () => Promise<void>;
    },
  ) {}

  async run(executable: string, candidates: readonly string[]): Promise<LoginOutcome> {
    this.parts.dialogs?.start();
    try {
      return await this.round(executable, candidates);
    } finally {
      await this.parts.dialogs?.stop();
      // In any case, the password does not stay on disk.
      await this.parts.startupFile.remove();
      this.current = null;
      // Also after a failed round, so that the session can notice a manual login.
      if (!this.parts.lifetime.isOver) this.parts.attach();
    }
  }

  private async round(executable: string, candidates: readonly string[]): Promise<LoginOutcome> {
    let reason = 'no candidate address';
    for (const [index, candidate] of candidates.entries()) {
      const attached = await this.attached();
      if (attached) return attached;
      if (this.parts.lifetime.isOver) return { kind: 'stopped' };
      this.current = candidate;
      const tries = index === 0 ? this.options.firstTries : this.options.tries;
      const outcome = await this.attempt(executable, candidate, tries);
      if (outcome.kind !== 'exhausted') return outcome;
      reason = outcome.reason;
      this.parts.log.event('login candidate exhausted', { candidate, polls: tries, reason });
    }
    return { kind: 'exhausted', reason };
  }

  private async attempt(executable: string, candidate: string, tries: number): Promise<LoginOutcome> {
    const { journal, lifetime, startupFile, log } = this.parts;
    const file = await startupFile.write(this.options.credentials, candidate);
    await journal.mark(executable);
    await this.launch(executable, file, candidate);
    let sessionWasOut = this.parts.session.loggedInAs() === null;
    let away = 0;
    let failure = 'the terminal reported no login attempt';
    for (let poll = 1; poll <= tries; poll++) {
      await lifetime.sleep(loginPollMs);
      if (lifetime.isOver) return { kind: 'stopped' };
      const verdict = journalVerdict(await journal.newLines(executable), this.options.credentials.login);
      if (verdict?.kind === 'authorised') return { kind: 'logged in', candidate, by: 'journal' };
      // Only in the second half, because a session that attaches earlier also logs in, to a terminal that is still
      // starting. At all, because the journal may be unreadable.
      if (poll >= tries / 2) this.parts.attach();
      // The session's state from before the launch may belong to the previous terminal: trust it only after it was
      // logged out once.
      sessionWasOut ||= this.parts.session.loggedInAs() === null;
      const attached = sessionWasOut ? await this.attached() : undefined;
      if (attached) return attached.kind === 'logged in' ? { ...attached, candidate } : attached;
      if (verdict) this.tell(verdict, candidate);
      if (verdict?.kind === 'refused') return verdict;
      failure = verdict?.reason ?? failure;
      if (await this.parts.program.isRunning()) away = 0;
      else if (++away === 1) log.event('terminal restarting itself', { candidate });
      else if (away > awayPolls) {
        away = 0;
        failure = 'the terminal exited unexpectedly';
        await this.launch(executable, file, candidate);
      }
    }
    return { kind: 'exhausted', reason: failure };
  }

  /**
   * An account is logged in through the session: the configured one (success), or another one, which must not be ended.
   */
  private async attached(): Promise<LoginOutcome | undefined> {
    const login = this.parts.session.loggedInAs();
    if (login === null || !(await this.parts.program.isRunning())) return undefined;
    if (login === this.options.credentials.login) return { kind: 'logged in', candidate: null, by: 'session' };
    return { kind: 'other account', login };
  }

  private async launch(executable: string, file: string, candidate: string): Promise<void> {
    await this.parts.beforeStop();
    await this.parts.program.stop();
    if (this.parts.lifetime.isOver) return;
    await this.parts.program.launch(executable, file);
    this.parts.log.event('terminal launched', { candidate, launch: this.parts.program.launchCount });
  }

  private tell(verdict: Exclude<JournalVerdict, { kind: 'authorised' }>, candidate: string): void {
    const event = verdict.kind === 'refused' ? 'login attempt refused' : 'login attempt failed';
    this.parts.log.event(event, { candidate, reason: verdict.reason });
  }
}
