import { type HostLog } from './host-events';
import { type HostStanding } from './host-standing';
import { type LoginLoop, type LoginOutcome } from './login-loop';
import { type Resolver } from './resolver';
import { type SessionView } from './session-view';

/**
 * Refusals by the broker after which logins are no longer retried automatically: brokers lock accounts after repeated
 * attempts.
 */
const maxRefusals = 3;

/** Login rounds with pauses, until the account is logged in or the broker has refused too often. */
export class LoginRounds {
  private refusals = 0;

  constructor(
    readonly login: number,
    private readonly resolver: Resolver,
    readonly loop: LoginLoop,
    private readonly session: SessionView,
    private readonly standing: HostStanding,
    private readonly log: HostLog,
  ) {}

  /** Whether the broker has refused so often that logins are no longer retried. */
  get isGivenUp(): boolean {
    return this.refusals >= maxRefusals;
  }

  /**
   * Runs one round. True if no further round follows: logged in, given up, another account is logged in, or stopped.
   */
  async round(executable: string): Promise<boolean> {
    this.standing.enter('resolving', 'looking up the addresses of the server');
    const candidates = await this.resolver.candidates();
    this.standing.enter('logging_in', `logging in as ${this.login}`);
    const outcome = await this.loop.run(executable, candidates);
    if (this.settle(outcome)) return true;
    this.standing.failedRounds += 1;
    const reason = 'reason' in outcome ? outcome.reason : 'stopped';
    this.standing.message = `login failed at every candidate address; last error: ${reason}`;
    return false;
  }

  /** Checks whether the account is logged in now: manually, or by a terminal that connected later. */
  notice(): boolean {
    if (this.session.loggedInAs() !== this.login) return false;
    if (this.standing.state !== 'logged_in') this.entered(null, 'session');
    return true;
  }

  private settle(outcome: LoginOutcome): boolean {
    switch (outcome.kind) {
      case 'logged in':
        this.entered(outcome.candidate, outcome.by);
        return true;
      case 'other account':
        this.log.event('another account is logged in', { login: outcome.login, configured: this.login });
        this.standing.enter('other_account', `account ${outcome.login} is logged in, not ${this.login}`);
        return true;
      case 'refused':
        this.refusals += 1;
        if (this.isGivenUp) this.giveUp(outcome.reason);
        return this.isGivenUp;
      case 'exhausted':
        return false;
      case 'stopped':
        return true;
    }
  }

  private entered(candidate: string | null, by: 'journal' | 'session'): void {
    this.refusals = 0;
    this.standing.failedRounds = 0;
    this.standing.enter(
      'logged_in',
      `account ${this.login} logged in; terminal_status shows whether it is still connected`,
    );
    this.standing.candidate = candidate;
    this.log.event('logged in', { login: this.login, candidate, seen_in: by });
  }

  private giveUp(reason: string): void {
    this.log.event('login given up', { refusals: this.refusals, reason });
    this.standing.enter(
      'refused',
      `the broker refused ${this.refusals} logins (${reason}): correct TERMINAL_LOGIN, TERMINAL_PASSWORD or ` +
        'TERMINAL_SERVER and restart, or log in manually on the desktop',
    );
  }
}
