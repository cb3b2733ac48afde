import { type HostLog } from './host-events';
import { type Journal } from './journal';
import { type JournalVerdict, journalVerdict } from './journal-verdict';
import { type Lifetime } from './lifetime';
import { type SessionView } from './session-view';
import { type Credentials, type StartupFile } from './startup-file';
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

/** Between two looks at journal and session (spec, Connection and resolution settings). */
export const LOGIN_POLL_MS = 5_000;
/** A terminal that updates itself is away for a while: looks without a process before it is launched again. */
const AWAY_POLLS = 3;

/** One round of logging in: each candidate address gets a launch and its polls, until the account is in. */
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
      /** Called after each launch and before each deliberate stop of the terminal. */
      readonly onLaunch: () => void;
      readonly beforeStop: () => Promise<void>;
    },
  ) {}

  async run(executable: string, candidates: readonly string[]): Promise<LoginOutcome> {
    try {
      return await this.round(executable, candidates);
    } finally {
      // Whatever happened, the password does not stay on disk.
      await this.parts.startupFile.remove();
      this.current = null;
    }
  }

  private async round(executable: string, candidates: readonly string[]): Promise<LoginOutcome> {
    let reason = 'there was no candidate';
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
    let failure = 'the terminal said nothing of a login';
    for (let poll = 1; poll <= tries; poll++) {
      await lifetime.sleep(LOGIN_POLL_MS);
      if (lifetime.isOver) return { kind: 'stopped' };
      const verdict = journalVerdict(await journal.newLines(executable), this.options.credentials.login);
      if (verdict?.kind === 'authorised') return { kind: 'logged in', candidate, by: 'journal' };
      // What the session knew before the launch may be of the terminal before it: believed only once it was out.
      sessionWasOut ||= this.parts.session.loggedInAs() === null;
      const attached = sessionWasOut ? await this.attached() : undefined;
      if (attached) return attached.kind === 'logged in' ? { ...attached, candidate } : attached;
      if (verdict) this.tell(verdict, candidate);
      if (verdict?.kind === 'refused') return verdict;
      failure = verdict?.reason ?? failure;
      if (await this.parts.program.isRunning()) away = 0;
      else if (++away === 1) log.event('terminal restarting itself', { candidate });
      else if (away > AWAY_POLLS) {
        away = 0;
        failure = 'the terminal ended by itself';
        await this.launch(executable, file, candidate);
      }
    }
    return { kind: 'exhausted', reason: failure };
  }

  /** Somebody is logged in through the session: us, which is success, or another account, which is not ours to end. */
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
    this.parts.onLaunch();
  }

  private tell(verdict: Exclude<JournalVerdict, { kind: 'authorised' }>, candidate: string): void {
    const event = verdict.kind === 'refused' ? 'login attempt refused' : 'login attempt failed';
    this.parts.log.event(event, { candidate, reason: verdict.reason });
  }
}
