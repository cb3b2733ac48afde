import type { Clock, Timer } from '@libs/clock';
import type { AccountInfo, TerminalClient } from '@libs/terminal-client';
import type { ServerTime } from '../server-time/server-time';
import { accountChanges } from './account-changes';
import { lookCloser, readLists, type AccountLists } from './account-look';
import type { EventLog } from './event-log';
import { accountOfRecord, recordOfAccount, type KnownAccount } from './known-account';
import { differs } from './list-differences';
import { Patience } from './patience';
import { SeenTickets } from './seen-tickets';
import { tradeEvent, type TradeChange } from './trade-event';

/** Intervals between snapshots of the lists: with listeners, and without. */
const pollMs = { followed: 250, alone: 1_000 };
/** Interval of history reads while the lists show nothing new: balance operations, late deals. */
const historyMs = 1_000;
/** How long lists may contradict the history before the lists apply. */
const patienceMs = 30_000;
/** Pause before the next read for an own trade, as a multiple of the duration of the previous read. */
const restsPerRead = 4;

export interface WatcherLog {
  warn(message: string): void;
}

/** A verified session: runs one call on it, or throws. */
export interface TerminalReads {
  read<T>(call: (terminal: TerminalClient) => Promise<T>): Promise<T>;
}

/** Emitted when the positions and orders known to listeners belong to another account. */
const accountChanged: TradeChange = { event: 'resync', action: 'account_changed' };

type Account = Pick<AccountInfo, 'login' | 'server'>;

/**
 * While there is a session, compares the terminal's lists with the events so far and records changes, by the gateway or
 * external. It compares nothing after a failed read, and after an outage it finds the changes made meanwhile.
 */
export class TradeWatcher {
  private account: Account | null = null;
  private known: KnownAccount | null = null;
  private timer: Timer | null = null;
  private looking: Promise<void> | null = null;
  /** The gateway has traded, and no read has started since. */
  private isDue = false;
  private soon: Timer | null = null;
  private restsUntilMs = -Infinity;
  private historyReadAtMs = -Infinity;
  private readonly patience: Patience;
  private lastProblem = '';

  constructor(
    private readonly terminal: TerminalReads,
    private readonly log: EventLog,
    private readonly serverTime: ServerTime,
    private readonly clock: Clock,
    private readonly brokerClock: { nowMs(): number },
    private readonly logger: WatcherLog,
  ) {
    this.patience = new Patience(clock, patienceMs);
  }

  /** Starts to watch the account of a session. */
  connected(account: Account): void {
    this.disconnected();
    if (this.account?.login !== account.login || this.account.server !== account.server) this.known = null;
    this.account = { login: account.login, server: account.server };
    this.historyReadAtMs = -Infinity;
    this.schedule();
    void this.look();
  }

  disconnected(): void {
    this.timer?.cancel();
    this.timer = null;
    this.soon?.cancel();
    this.soon = null;
    this.isDue = false;
  }

  /**
   * Called after a trade of the gateway. Followers get the events at once; without one, the next poll is soon enough.
   * The read starts a turn later, because a real terminal makes one call at a time, and the answer to the trade comes
   * first.
   */
  traded(): void {
    if (!this.timer || !this.log.isFollowed) return;
    this.isDue = true;
    setImmediate(() => this.lookIfDue());
  }

  /** Ends the watch; resolves once no snapshot is running. */
  async stop(): Promise<void> {
    this.disconnected();
    await this.looking;
  }

  /**
   * Takes a snapshot, or shares the running one. Never rejects: the next snapshot makes up for a failed one.
   */
  look(): Promise<void> {
    const { account } = this;
    if (!account) return Promise.resolve();
    this.looking ??= this.timed(account)
      .catch((error: unknown) => this.complain(error))
      .finally(() => {
        this.looking = null;
        this.lookIfDue();
      });
    return this.looking;
  }

  private lookIfDue(): void {
    if (!this.isDue || this.looking || this.soon) return;
    const restMs = this.restsUntilMs - this.clock.monotonicMs();
    if (restMs <= 0) return void this.look();
    this.soon = this.clock.setTimer(restMs, () => {
      this.soon = null;
      this.lookIfDue();
    });
  }

  private async timed(account: Account): Promise<void> {
    const isOwn = this.isDue;
    this.isDue = false;
    const beganMs = this.clock.monotonicMs();
    try {
      await this.lookAt(account, isOwn);
    } finally {
      const endedMs = this.clock.monotonicMs();
      this.restsUntilMs = endedMs + restsPerRead * (endedMs - beganMs);
    }
  }

  private schedule(): void {
    this.timer = this.clock.setTimer(this.log.isFollowed ? pollMs.followed : pollMs.alone, () => {
      this.schedule();
      void this.look();
    });
  }

  /** @param withHistory reads the history even if the lists show nothing new */
  private async lookAt(account: Account, withHistory: boolean): Promise<void> {
    const known = this.known ?? this.recall(account);
    if (!known) return this.begin(account);
    this.known = known;
    const lists = await this.terminal.read(readLists);
    const nowMs = this.clock.monotonicMs();
    if (!withHistory && !differs(known, lists) && nowMs - this.historyReadAtMs < historyMs) return;
    this.historyReadAtMs = nowMs;
    await this.compare(account, known, lists);
    this.lastProblem = '';
  }

  private async compare(account: Account, known: KnownAccount, lists: AccountLists): Promise<void> {
    const look = await this.terminal.read((terminal) => lookCloser(terminal, known, lists, this.brokerClock.nowMs()));
    const found = accountChanges(known, look, this.patience);
    this.patience.endLook();
    if (found.changes.length === 0) return;
    await this.write(account, found.changes, found.known);
  }

  /** First snapshot of an account: existing positions and orders are not events. */
  private async begin(account: Account): Promise<void> {
    const to = Math.ceil(this.brokerClock.nowMs() / 1_000) + 2 * 86_400;
    const known = await this.terminal.read(async (terminal): Promise<KnownAccount> => {
      const deals = new SeenTickets();
      const doneOrders = new SeenTickets();
      // Read before the lists: changes in between are found by the next snapshot.
      for (const { ticket, time } of await terminal.historyDealsGet({ from: 0, to })) deals.add(ticket, time);
      for (const { ticket, time_done } of await terminal.historyOrdersGet({ from: 0, to })) {
        doneOrders.add(ticket, time_done);
      }
      const lists = await readLists(terminal);
      const positions = lists.positions.map((record) => ({ record, toldThrough: deals.highest }));
      return {
        positions: new Map(positions.map((position) => [position.record.identifier, position])),
        orders: new Map(lists.orders.map((order) => [order.ticket, order])),
        deals,
        doneOrders,
        closedLately: new Set(),
      };
    });
    await this.write(account, [], known);
  }

  private recall(account: Account): KnownAccount | null {
    const record = this.log.account(keyOf(account));
    return record ? accountOfRecord(record) : null;
  }

  /** Writes the changes, unless the session has changed to another account meanwhile. */
  private async write(account: Account, changes: readonly TradeChange[], known: KnownAccount): Promise<void> {
    const now = await this.terminal.read((terminal) => terminal.accountInfo());
    if (now === null || now.login !== account.login || now.server !== account.server) {
      throw new Error('the account changed during the snapshot');
    }
    const context = { recordedAt: new Date(this.clock.nowMs()).toISOString(), ...account };
    const key = keyOf(account);
    const isOther = this.log.lastAccount !== undefined && this.log.lastAccount !== key;
    const told: TradeChange[] = [...(isOther ? [accountChanged] : []), ...changes];
    const events = told.map((change) => tradeEvent(change, context, this.serverTime));
    await this.log.append(events, key, recordOfAccount(known));
    // The account may have changed during the write.
    if (this.account && keyOf(this.account) === key) this.known = known;
  }

  /** Logged once per problem, not per poll: an outage has thousands of polls. */
  private complain(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    if (problem === this.lastProblem) return;
    this.lastProblem = problem;
    this.logger.warn(`trade events: the account snapshot failed: ${problem}`);
  }
}

function keyOf({ login, server }: Account): string {
  return `${server}/${login}`;
}
