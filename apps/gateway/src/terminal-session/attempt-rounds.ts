import type { Clock, Timer } from '@libs/clock';
import type { TerminalClient } from '@libs/terminal-client';
import { attemptLogin, type VerifiedSession } from './login-attempt';
import {
  attemptDelayMs,
  cooldownWindowMs,
  lookPeriodMs,
  mostRefusals,
  type SessionLog,
  type SessionOptions,
} from './session-options';
import { isRefusedLogin, problemText, type SessionProblem } from './session-problem';

/** Results of the attempts. */
export type RoundOutcome =
  | VerifiedSession
  /** No account is logged in and there are no credentials; checks continue. */
  | { readonly kind: 'logged-out' }
  /** The round failed; the cooldown has begun. */
  | { readonly kind: 'exhausted' }
  /** The cooldown is over; the next round has started. */
  | { readonly kind: 'attempt' };

/** Attempts to reach the right account, one attempt at a time, with the pauses and windows of the settings. */
export class AttemptRounds {
  /** Attempts of the current round, or of the last failed one; 0 after success. */
  attempts = 0;
  /** Why the last attempt failed, or the session ended; null after success. */
  problem: SessionProblem | null = null;
  /** Logins in a row that were refused. */
  refusals = 0;
  private failedRounds = 0;
  private timer: Timer | null = null;
  private looking: Timer | null = null;
  /** Monotonic time of the next attempt, while one is set. */
  private dueAtMs: number | null = null;
  /** Incremented by cancel, so that a running attempt has no effect. */
  private generation = 0;

  constructor(
    private readonly options: SessionOptions,
    private readonly terminal: TerminalClient,
    private readonly clock: Clock,
    private readonly log: SessionLog,
    private readonly on: (outcome: RoundOutcome) => void,
  ) {}

  /** One round: attempts with a doubling pause between them, then the cooldown and the next round. */
  start(): void {
    this.attempts = 0;
    void this.attempt(this.generation);
  }

  /** Checks now, and periodically, for a manual login. */
  look(): void {
    void this.lookOnce(this.generation);
  }

  cancel(): void {
    this.generation += 1;
    this.timer?.cancel();
    this.looking?.cancel();
    this.dueAtMs = null;
  }

  /** Seconds until the next attempt, rounded up; 0 while one is running. */
  secondsLeft(): number {
    return this.dueAtMs === null ? 0 : Math.max(0, Math.ceil((this.dueAtMs - this.clock.monotonicMs()) / 1_000));
  }

  private async attempt(generation: number): Promise<void> {
    this.attempts += 1;
    const outcome = await attemptLogin(this.terminal, this.options);
    if (generation !== this.generation) return;
    if (outcome.kind === 'verified') return this.succeed(outcome);
    if (outcome.kind === 'logged-out') {
      this.on({ kind: 'logged-out' });
      return this.lookAgain();
    }
    this.problem = outcome.problem;
    this.log.warn(`login attempt ${this.attempts} failed: ${problemText(outcome.problem)}`);
    // Brokers lock accounts after repeated logins with a wrong password: a refusal ends the round.
    const isRefused = isRefusedLogin(outcome.problem);
    if (isRefused) this.refusals += 1;
    if (isRefused || this.attempts >= this.options.reconnectAttempts) return this.coolDown();
    this.schedule(attemptDelayMs(this.options, this.attempts), () => void this.attempt(generation));
  }

  private async lookOnce(generation: number): Promise<void> {
    const outcome = await attemptLogin(this.terminal, this.options);
    if (generation !== this.generation) return;
    if (outcome.kind === 'verified') return this.succeed(outcome);
    if (outcome.kind === 'failed') this.problem = outcome.problem;
    this.lookAgain();
  }

  private async lookWithoutLogin(): Promise<void> {
    const { generation } = this;
    const outcome = await attemptLogin(this.terminal, { credentials: null, expected: this.options.credentials ?? {} });
    if (generation !== this.generation || outcome.kind !== 'verified' || this.dueAtMs === null) return;
    this.cancel();
    this.on({ kind: 'attempt' });
    this.succeed(outcome);
  }

  private lookAgain(): void {
    this.schedule(lookPeriodMs(this.options), () => this.look());
  }

  private succeed(session: VerifiedSession): void {
    this.attempts = 0;
    this.problem = null;
    this.failedRounds = 0;
    this.refusals = 0;
    this.on(session);
  }

  private coolDown(): void {
    this.failedRounds += 1;
    const windowMs = cooldownWindowMs(this.options, this.failedRounds, this.refusals);
    this.on({ kind: 'exhausted' });
    const isLocked = this.refusals >= mostRefusals;
    const inARow = isLocked ? ` (the broker refused ${this.refusals} logins in a row)` : '';
    this.log.warn(`no session with the terminal: next attempts in ${windowMs / 1_000} s${inARow}`);
    // A manual login is detected without sending the password again.
    if (isLocked) this.looking = this.clock.every(lookPeriodMs(this.options), () => void this.lookWithoutLogin());
    this.schedule(windowMs, () => {
      this.looking?.cancel();
      this.on({ kind: 'attempt' });
      this.start();
    });
  }

  private schedule(delayMs: number, run: () => void): void {
    this.dueAtMs = this.clock.monotonicMs() + delayMs;
    this.timer = this.clock.setTimer(delayMs, () => {
      this.dueAtMs = null;
      run();
    });
  }
}
