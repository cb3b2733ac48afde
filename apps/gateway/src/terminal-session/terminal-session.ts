import type { Clock } from '@libs/clock';
import {
  type AccountInfo,
  AccountMarginMode,
  isLinkFailure,
  type LastError,
  LastErrorCode,
  type PushedChanges,
  type TerminalClient,
  TerminalUnavailableError,
  type Unsubscribe,
} from '@libs/terminal-client';
import { obstacleText, type TradingObstacle } from '@libs/order-drafts';
import { AttemptRounds, type RoundOutcome } from './attempt-rounds';
import { isAccount, lastErrorOf, readSession, type VerifiedSession } from './login-attempt';
import { type AccountChange, type SessionEvents, SessionListeners } from './session-listeners';
import type { SessionLog, SessionOptions } from './session-options';
import { problemOf, problemText, type SessionProblem, type SessionProblemKind } from './session-problem';
import { nextState, type SessionEvent, type SessionState } from './session-state';
import { SessionUnavailableError } from './session-unavailable.error';

/** Why a session ended that showed lists that are not explained. */
export const renewedReason = 'the lists of the terminal are not explained';

/** Consecutive probe timeouts after which the session counts as lost, as for pings of the link. */
const mostSlowProbes = 2;

/** What an account is, apart from its money. */
type AccountFacts = Pick<AccountInfo, 'server' | 'currency' | 'leverage' | 'trade_mode' | 'margin_mode'>;

export interface SessionStatus {
  readonly state: SessionState;
  readonly driver: 'simulator' | 'bridge';
  /** The account last verified while it is logged in, else null. */
  readonly account: number | null;
  /** What it is, apart from its money. */
  readonly accountFacts: AccountFacts | null;
  /** Start of the state, ISO-8601 UTC. */
  readonly since: string;
  /** Attempts of the current round, or of the last failed one; 0 once connected. */
  readonly attempts: number;
  readonly cooldownRemainingSeconds: number;
  /** Seconds since the connection was last verified; null while disconnected. */
  readonly verifiedAgeSeconds: number | null;
  readonly lastError: LastError | null;
  /** Why there is no session and what to check, without a setting's value; null while it is connected. */
  readonly problem: string | null;
  /** Its kind; null without one, and once connected. */
  readonly problemKind: SessionProblemKind | null;
  /** Build of the last verified terminal; null before the first. */
  readonly terminalBuild: number | null;
  /** Logins in a row that the broker refused. */
  readonly loginRefusals: number;
}

/**
 * The one session with the terminal: logs in, verifies, detects a loss and restores the session in the background.
 * Requests never wait for that; they fail at once.
 */
export class TerminalSession {
  private state: SessionState = 'disconnected';
  private sinceMs: number;
  private account: AccountInfo | null = null;
  private terminalBuild: number | null = null;
  private obstacle: TradingObstacle | null = null;
  private verifiedAtMs = 0;
  private readonly rounds: AttemptRounds;
  private probe: Promise<TerminalClient> | null = null;
  /** Consecutive probe timeouts. */
  private slowProbes = 0;
  private logins = 0;
  private running = false;
  private unsubscribeLink: Unsubscribe | null = null;
  private readonly listeners = new SessionListeners();

  constructor(
    private readonly options: SessionOptions,
    private readonly terminal: TerminalClient,
    private readonly clock: Clock,
    private readonly log: SessionLog,
  ) {
    this.sinceMs = clock.nowMs();
    this.rounds = new AttemptRounds(options, terminal, clock, log, (outcome) => this.takeOutcome(outcome));
  }

  /** Starts the login in the background and returns at once. */
  start(): void {
    if (this.running) return;
    this.running = true;
    this.unsubscribeLink = this.terminal.onLink((event) => {
      if (event.state === 'down') this.lose(problemOf(event.lastError));
    });
    if (this.options.credentials === null) this.rounds.look();
    else {
      this.move('attempt');
      this.rounds.start();
    }
  }

  /** Disconnects from the terminal, which keeps running. */
  async stop(): Promise<void> {
    if (!this.running) return;
    this.running = false;
    this.rounds.cancel();
    this.unsubscribeLink?.();
    this.leaveAccount('the gateway is stopping');
    this.move('stop');
    await this.terminal.shutdown().catch((error: unknown) => {
      this.log.warn(`disconnecting from the terminal failed: ${lastErrorOf(error).message}`);
    });
  }

  /**
   * The terminal, verified no longer ago than the TTL; after that, all waiting callers share one live probe.
   * @throws SessionUnavailableError at once (or as a rejection of the probe) while there is no session
   */
  requireConnected(): TerminalClient | Promise<TerminalClient> {
    if (this.state !== 'connected') throw this.unavailable();
    return this.isVerified ? this.terminal : this.sharedProbe();
  }

  /**
   * The terminal, verified now regardless of the TTL: another account may have been logged in between two probes, and
   * no order may reach it. A login since the call is not enough: a probe that began before it can take seconds longer.
   * @throws SessionUnavailableError if there is no session, or no longer the same
   */
  async confirm(): Promise<TerminalClient> {
    if (this.state !== 'connected') throw this.unavailable();
    const { logins } = this;
    const terminal = await this.sharedProbe();
    return logins === this.logins ? terminal : this.confirm();
  }

  /**
   * The account, verified now as by {@link confirm}.
   * @throws SessionUnavailableError if there is no session, or no longer the same
   */
  async confirmAccount(): Promise<AccountInfo> {
    await this.confirm();
    if (this.account === null) throw this.unavailable();
    return this.account;
  }

  /**
   * Reads the account. If another one is logged in, or none, the session ends as after a probe, so that no send that was
   * confirmed before goes out.
   * @throws SessionUnavailableError if there is no session, or no longer the same
   * @throws TerminalUnavailableError if the read fails
   */
  async readAccount(): Promise<AccountInfo> {
    const terminal = await this.requireConnected();
    const { logins } = this;
    const account = await terminal.accountInfo();
    this.compareAccount(account, logins);
    if (account === null || this.state !== 'connected' || logins !== this.logins) throw this.unavailable();
    return account;
  }

  /** Ends the session and begins a new one: it may show lists that this one did not load. Nothing happens without a session. */
  async renew(): Promise<void> {
    if (this.state !== 'connected') return;
    await this.terminal.shutdown().catch(() => undefined);
    this.lose(problemOf({ code: LastErrorCode.FAIL, message: renewedReason }));
  }

  /** Reports a failed call to the session, so that it detects a loss before its next probe. */
  reportFailure(error: unknown): void {
    if (this.state !== 'connected') return;
    if (error instanceof TerminalUnavailableError) {
      if (error.failure === 'busy') return;
      // A single slow call proves nothing about the session; the next request probes.
      if (error.failure === 'timeout') this.verifiedAtMs = -Infinity;
      else if (error.failure === 'disconnected' || isLinkFailure(error.lastError.code))
        this.lose(problemOf(error.lastError));
    } else if (isLastError(error) && isLinkFailure(error.code)) this.lose(problemOf(error));
  }

  /** Whether there is a session that was verified no longer ago than the TTL. */
  get isVerified(): boolean {
    const ageMs = this.clock.monotonicMs() - this.verifiedAtMs;
    return this.state === 'connected' && ageMs < this.options.verifyTtlMs;
  }

  get isConnected(): boolean {
    return this.state === 'connected';
  }

  /** What keeps every order from being taken, as of the last probe; null if nothing does, or without a session. */
  get tradingObstacle(): TradingObstacle | null {
    return this.state === 'connected' ? this.obstacle : null;
  }

  /** Login of the current session's account; null without a session. */
  get login(): number | null {
    return this.account?.login ?? null;
  }

  /** Decimals of the currency of the session's account; undefined without a session. */
  get currencyDigits(): number | undefined {
    return this.account?.currency_digits;
  }

  /** Whether each position of the account is closed by its ticket; false without a session. */
  get isHedging(): boolean {
    return this.account?.margin_mode === AccountMarginMode.RETAIL_HEDGING;
  }

  /** The changes of the account as the terminal reports them; null from a terminal that has to be polled. */
  get pushes(): PushedChanges | null {
    return this.terminal.pushes;
  }

  status(): SessionStatus {
    const nowMs = this.clock.monotonicMs();
    return {
      state: this.state,
      driver: this.options.driver,
      account: this.account?.login ?? null,
      accountFacts: this.account && factsOf(this.account),
      since: new Date(this.sinceMs).toISOString(),
      attempts: this.rounds.attempts,
      cooldownRemainingSeconds: this.state === 'cooldown' ? this.rounds.secondsLeft() : 0,
      verifiedAgeSeconds:
        this.state === 'connected' && this.verifiedAtMs >= 0 ? Math.floor((nowMs - this.verifiedAtMs) / 1_000) : null,
      lastError: this.rounds.problem?.lastError ?? null,
      problem: this.state === 'connected' ? null : this.unavailable().message,
      problemKind: this.state === 'connected' ? null : (this.rounds.problem?.kind ?? null),
      terminalBuild: this.terminalBuild,
      loginRefusals: this.rounds.refusals,
    };
  }

  /** Sessions restored after a loss, since the start. */
  get reconnectsTotal(): number {
    return Math.max(0, this.logins - 1);
  }

  onConnected(listener: (account: AccountInfo) => void): Unsubscribe {
    return this.listeners.on('connected', listener);
  }

  onDisconnected(listener: (lastError: LastError) => void): Unsubscribe {
    return this.listeners.on('disconnected', listener);
  }

  onAccountChanged(listener: (change: AccountChange) => void): Unsubscribe {
    return this.listeners.on('accountChanged', listener);
  }

  onLogin(listener: (account: SessionEvents['login']) => void): Unsubscribe {
    return this.listeners.on('login', listener);
  }

  onLogout(listener: (account: SessionEvents['logout']) => void): Unsubscribe {
    return this.listeners.on('logout', listener);
  }

  private takeOutcome(outcome: RoundOutcome): void {
    if (outcome.kind === 'verified') this.enter(outcome);
    else this.move(outcome.kind);
  }

  private sharedProbe(): Promise<TerminalClient> {
    if (this.probe !== null) return this.probe;
    const probe = this.verify().finally(() => {
      if (this.probe === probe) this.probe = null;
    });
    return (this.probe = probe);
  }

  private async verify(): Promise<TerminalClient> {
    const { logins } = this;
    // The account ends the session as soon as it is read: a send may be about to leave while the probe reads the terminal.
    const compare = (account: AccountInfo | null): void => this.compareAccount(account, logins);
    const outcome = await readSession(this.terminal, compare).catch((error: unknown) => {
      if (logins === this.logins && this.provesNothing(error)) throw error;
      return { kind: 'failed' as const, problem: problemOf(lastErrorOf(error)) };
    });
    if (this.state !== 'connected') throw this.unavailable();
    // The session was lost and restored meanwhile: the login verified more than this probe.
    if (logins !== this.logins) return this.terminal;
    if (outcome.kind === 'verified') {
      this.slowProbes = 0;
      this.account = outcome.account;
      this.terminalBuild = outcome.terminalBuild;
      this.noteObstacle(outcome.obstacle);
      this.verifiedAtMs = this.clock.monotonicMs();
      return this.terminal;
    }
    if (outcome.kind === 'failed') this.lose(outcome.problem);
    throw this.unavailable();
  }

  /**
   * A terminal that is busy, or that did not answer one probe in time, may still be logged in: the request fails, and
   * the session stays. A second probe in a row without an answer loses it.
   */
  private provesNothing(error: unknown): boolean {
    if (!(error instanceof TerminalUnavailableError)) return false;
    if (error.failure === 'busy') return true;
    if (error.failure !== 'timeout') return false;
    this.verifiedAtMs = -Infinity;
    this.slowProbes += 1;
    return this.slowProbes < mostSlowProbes;
  }

  /** Ends the session if a read of the account shows another one. @param logins the number of logins when the read began */
  private compareAccount(account: AccountInfo | null, logins: number): void {
    if (this.state !== 'connected' || logins !== this.logins) return;
    if (account !== null && this.isSameAccount(account)) return;
    const message = account ? 'the account changed' : 'logged out';
    const kind = account ? 'account_changed' : 'logged_out';
    this.lose({ kind, lastError: { code: LastErrorCode.AUTH_FAILED, message } });
  }

  private isSameAccount(account: AccountInfo): boolean {
    if (this.account === null) return true;
    if (isAccount(account, this.account)) return this.isSameKind(account, this.account);
    const expected = { login: this.account.login, server: this.account.server };
    const actual = { login: account.login, server: account.server };
    this.log.warn(`account ${actual.login} on ${actual.server} replaced account ${expected.login}`);
    this.emit('accountChanged', { expected, actual });
    return false;
  }

  /** A record of another margin mode or currency is half loaded: orders would be checked as for another kind of account. */
  private isSameKind(account: AccountInfo, before: AccountInfo): boolean {
    if (account.margin_mode === before.margin_mode && account.currency === before.currency) return true;
    this.log.warn(
      `account ${account.login} shows margin mode ${account.margin_mode} and currency "${account.currency}" instead of ${before.margin_mode} and "${before.currency}"`,
    );
    return false;
  }

  private enter({ account, terminalBuild, obstacle }: VerifiedSession): void {
    this.move('verified');
    this.slowProbes = 0;
    this.account = account;
    this.terminalBuild = terminalBuild;
    this.verifiedAtMs = this.clock.monotonicMs();
    this.logins += 1;
    this.log.log(`connected to account ${account.login} on ${account.server}`);
    this.noteObstacle(obstacle);
    this.emit('login', { login: account.login, server: account.server });
    this.emit('connected', account);
  }

  private noteObstacle(obstacle: TradingObstacle | null): void {
    if (obstacle === this.obstacle) return;
    this.obstacle = obstacle;
    if (obstacle === null) this.log.log('orders can be placed again');
    else this.log.warn(`orders cannot be placed: ${obstacleText(obstacle)}`);
  }

  private lose(problem: SessionProblem): void {
    if (this.state !== 'connected') return;
    const { lastError } = problem;
    this.rounds.problem = problem;
    this.probe = null;
    this.log.warn(`the session was lost: ${problemText(problem)}`);
    this.leaveAccount(lastError.message);
    this.move('lost');
    this.emit('disconnected', lastError);
    this.rounds.start();
  }

  private leaveAccount(reason: string): void {
    if (this.account === null) return;
    const { login, server } = this.account;
    this.account = null;
    this.emit('logout', { login, server, reason });
  }

  private move(event: SessionEvent): void {
    const next = nextState(this.state, event);
    if (next !== this.state) this.sinceMs = this.clock.nowMs();
    this.state = next;
  }

  private emit<Name extends keyof SessionEvents>(name: Name, value: SessionEvents[Name]): void {
    this.listeners.emit(name, value, (error) => {
      this.log.warn(`a listener of the event "${name}" failed: ${lastErrorOf(error).message}`);
    });
  }

  /** Why there is no session, for the caller to throw. */
  unavailable(): SessionUnavailableError {
    if (this.state === 'connected') return new SessionUnavailableError('reconnecting', null, 1);
    const seconds = Math.max(1, this.rounds.secondsLeft());
    return new SessionUnavailableError(this.state, this.rounds.problem, seconds, this.options.missingSettings);
  }
}

function factsOf({ server, currency, leverage, trade_mode, margin_mode }: AccountInfo): AccountFacts {
  return { server, currency, leverage, trade_mode, margin_mode };
}

function isLastError(value: unknown): value is LastError {
  return typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'number';
}
