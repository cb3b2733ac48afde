import type { Clock, Timer } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import { TerminalUnavailableError, type AccountChange } from '@libs/terminal-client';
import type { AccountEvidence } from '../account-evidence/account-evidence';
import type { ServerTime } from '../server-time/server-time';
import type { AccountReads } from './account-looks';
import { AccountRecorder, type Account } from './account-recorder';
import type { EventLog } from './event-log';
import type { OwnOrders } from './own-orders';
import { TouchedRows } from './touched-rows';

/** Intervals between snapshots of the lists: with listeners, and without. */
const pollMs = { followed: 250, alone: 1_000 };
/** Pause before the next read of the whole account, as a multiple of the duration of the previous one: a fifth of the terminal's time. */
const restsPerRead = 4;
/** The longest pause between two polls of a slow terminal. */
const longestPollRestMs = 5_000;

export interface WatcherLog {
  warn(message: string): void;
}

/**
 * While there is a session, has the account compared with the events so far, by the gateway or external: at once when a change
 * is reported, and at an interval. After an outage it finds the changes made meanwhile.
 */
export class TradeWatcher {
  private recorder: AccountRecorder | null = null;
  private timer: Timer | null = null;
  private looking: Promise<void> | null = null;
  /** Rows that changed, and no read has started since. */
  private readonly touched = new TouchedRows();
  private soon: Timer | null = null;
  private restsUntilMs = -Infinity;
  private pollsFromMs = -Infinity;
  private running: 'poll' | 'touched' | null = null;
  private isPollDue = false;
  private isHistoryDue = false;
  private lastProblem = '';

  constructor(
    private readonly terminal: AccountReads,
    private readonly log: EventLog,
    private readonly serverTime: ServerTime,
    private readonly clock: Clock,
    private readonly logger: WatcherLog,
    private readonly evidence: AccountEvidence,
    private readonly ownOrders: OwnOrders,
  ) {
    evidence.lookBy((isAnew) => this.look(isAnew));
    terminal.pushes?.onChange((change) => this.changed(change));
  }

  /** The account of the session, or of the last one; null before the first. */
  get account(): Account | null {
    return this.recorder?.account ?? null;
  }

  /** Starts to watch the account of a session. */
  connected({ login, server }: Account): void {
    this.disconnected();
    const account = { login, server };
    if (!this.recorder?.isOf(account)) {
      this.recorder?.end();
      const { terminal, log, serverTime, clock, evidence, ownOrders } = this;
      this.recorder = new AccountRecorder(account, terminal, log, serverTime, clock, evidence, ownOrders);
    }
    this.recorder.sessionBegan();
    this.schedule();
    void this.look();
  }

  /** The session ended: nothing is known of the account until the next one has shown it. */
  disconnected(): void {
    this.evidence.end();
    this.timer?.cancel();
    this.timer = null;
    this.soon?.cancel();
    this.soon = null;
    this.touched.clear();
  }

  /**
   * Called when the outcome of a trade of the gateway is durable. A terminal that reports its changes has reported it before.
   */
  traded(change: AccountChange): void {
    if (this.terminal.pushes === null) this.changed(change);
  }

  /**
   * Takes the account as the terminal shows it now, on the decision of a person.
   * @throws Error without a session, or if a read or the write failed
   */
  async accept(): Promise<void> {
    const { recorder } = this;
    if (!recorder || !this.timer) throw new Error('there is no session with the terminal');
    await this.idle();
    const accepting = recorder.accept();
    // No snapshot runs meanwhile.
    this.looking = accepting.catch(() => undefined).finally(() => (this.looking = null));
    await accepting;
  }

  /** Resolves once no snapshot is running. */
  async idle(): Promise<void> {
    await this.looking;
  }

  /** Ends the watch; resolves once no snapshot is running. */
  async stop(): Promise<void> {
    this.disconnected();
    await this.idle();
  }

  /**
   * Takes a snapshot of the account, or shares the running one. Never rejects: the next snapshot makes up for a failed one.
   * @param isAnew shares none that began before this call, and reads the history, too
   */
  async look(isAnew = false): Promise<void> {
    if (isAnew) {
      await this.idle();
      this.isHistoryDue = true;
    }
    if (this.running !== 'poll') this.isPollDue = true;
    return this.run();
  }

  /**
   * Followers get the events at once; without one, the next poll is soon enough. The read starts a turn later, so that changes
   * of the same turn share it.
   */
  private changed(change: AccountChange): void {
    if (!this.timer) return;
    this.touched.add(change);
    if (this.log.isFollowed) setImmediate(() => this.lookIfDue());
  }

  private lookIfDue(): void {
    if (!this.timer || this.touched.isEmpty || this.looking || this.soon || !this.log.isFollowed) return;
    // Reads of single rows are few and short; those of the whole account leave most of the terminal's time to others.
    const isWhole = this.touched.isWide || this.recorder?.isBehind === true;
    const restMs = isWhole ? this.restsUntilMs - this.clock.monotonicMs() : 0;
    if (restMs <= 0) return void this.run();
    this.soon = this.clock.setTimer(restMs, () => {
      this.soon = null;
      this.lookIfDue();
    });
  }

  private run(): Promise<void> {
    this.looking ??= this.lookWhileDue().finally(() => {
      this.looking = null;
      this.lookIfDue();
    });
    return this.looking;
  }

  private async lookWhileDue(): Promise<void> {
    do {
      const { recorder } = this;
      if (!recorder) break;
      this.running = this.isPollDue ? 'poll' : 'touched';
      this.isPollDue = false;
      const beganMs = this.clock.monotonicMs();
      try {
        const isComplete = await this.lookOnce(recorder, this.running);
        if (isComplete) this.lastProblem = '';
        if (isComplete && this.running === 'poll') this.evidence.succeeded();
      } catch (error) {
        this.complain(error);
      }
      const nowMs = this.clock.monotonicMs();
      this.restsUntilMs = nowMs + restsPerRead * recorder.readMs;
      if (this.running === 'poll')
        this.pollsFromMs = nowMs + Math.min(restsPerRead * (nowMs - beganMs), longestPollRestMs);
    } while (this.isPollDue);
    this.running = null;
  }

  /** A poll reads the whole account, unless the terminal has reported every change. */
  private lookOnce(recorder: AccountRecorder, reason: 'poll' | 'touched'): Promise<boolean> {
    const touched = this.touched.take();
    const isReported = reason === 'touched' || this.terminal.pushes?.revision != null;
    if (touched && isReported && !this.isHistoryDue) return recorder.compareTouched(touched);
    const withHistory = touched !== null || this.isHistoryDue;
    this.isHistoryDue = false;
    return recorder.compareAll(withHistory);
  }

  private schedule(): void {
    const periodMs = (): number => (this.log.isFollowed ? pollMs.followed : pollMs.alone);
    this.timer = this.clock.every(periodMs, () => {
      // Otherwise the polls of a slow terminal would take all of its time, and each read and order would wait for one.
      if (this.clock.monotonicMs() >= this.pollsFromMs) void this.look();
    });
  }

  /** Logged once per problem, not per poll: an outage has thousands of polls. */
  private complain(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    this.evidence.failed(problem, isUnread(error));
    if (problem === this.lastProblem) return;
    this.lastProblem = problem;
    this.logger.warn(`trade events: the account snapshot failed: ${problem}`);
  }
}

/** Whether the terminal could not be read. One that is busy with a slow send answers later. */
function isUnread(error: unknown): boolean {
  const cause = error instanceof ApiError ? error.cause : null;
  return cause instanceof TerminalUnavailableError && cause.failure !== 'busy';
}
