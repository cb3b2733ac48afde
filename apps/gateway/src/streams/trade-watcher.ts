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

/** Between looks at the lists while somebody listens, and while the log is only kept. */
const pollMs = { followed: 250, alone: 1_000 };
/** How often the history is read while the lists say nothing new: balance operations, late deals. */
const historyMs = 1_000;
/** How long lists may contradict the history before the lists are believed. */
const patienceMs = 30_000;

export interface WatcherLog {
  warn(message: string): void;
}

/** A verified session: runs one call on it, or throws. */
export interface TerminalReads {
  read<T>(call: (terminal: TerminalClient) => Promise<T>): Promise<T>;
}

/** What listeners know of positions and orders is not about this account. */
const accountChanged: TradeChange = { event: 'resync', action: 'account_changed' };

type Account = Pick<AccountInfo, 'login' | 'server'>;

/**
 * Compares the terminal's lists with what the log has told, as long as there is a session, and writes down what changed,
 * whoever traded. It compares nothing with a failed read, and after an outage it finds what happened meanwhile.
 */
export class TradeWatcher {
  private account: Account | null = null;
  private known: KnownAccount | null = null;
  private timer: Timer | null = null;
  private looking: Promise<void> | null = null;
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

  /** A session is there: watch its account. */
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
  }

  /** Ends the watch; resolves when no look is under way any more. */
  async stop(): Promise<void> {
    this.disconnected();
    await this.looking;
  }

  /** Looks at the account once, or shares the look that is under way. Never rejects: a failed look is the next one's. */
  look(): Promise<void> {
    const { account } = this;
    if (!account) return Promise.resolve();
    this.looking ??= this.lookAt(account)
      .catch((error: unknown) => this.complain(error))
      .finally(() => (this.looking = null));
    return this.looking;
  }

  private schedule(): void {
    this.timer = this.clock.setTimer(this.log.isFollowed ? pollMs.followed : pollMs.alone, () => {
      this.schedule();
      void this.look();
    });
  }

  private async lookAt(account: Account): Promise<void> {
    const known = this.known ?? this.recall(account);
    if (!known) return this.begin(account);
    this.known = known;
    const lists = await this.terminal.read(readLists);
    const nowMs = this.clock.monotonicMs();
    if (!differs(known, lists) && nowMs - this.historyReadAtMs < historyMs) return;
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

  /** The first sight of an account: what is there already has been told by nobody and is no event. */
  private async begin(account: Account): Promise<void> {
    const to = Math.ceil(this.brokerClock.nowMs() / 1_000) + 2 * 86_400;
    const known = await this.terminal.read(async (terminal): Promise<KnownAccount> => {
      const deals = new SeenTickets();
      const doneOrders = new SeenTickets();
      // Before the lists: what happens in between is told by the next look.
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

  /** Writes what was found, unless another account has come under the session meanwhile. */
  private async write(account: Account, changes: readonly TradeChange[], known: KnownAccount): Promise<void> {
    const now = await this.terminal.read((terminal) => terminal.accountInfo());
    if (now === null || now.login !== account.login || now.server !== account.server) {
      throw new Error('the account changed during the look');
    }
    const context = { recordedAt: new Date(this.clock.nowMs()).toISOString(), ...account };
    const key = keyOf(account);
    const isOther = this.log.lastAccount !== undefined && this.log.lastAccount !== key;
    const told: TradeChange[] = [...(isOther ? [accountChanged] : []), ...changes];
    const events = told.map((change) => tradeEvent(change, context, this.serverTime));
    await this.log.append(events, key, recordOfAccount(known));
    // Another account may have come while the disk was written.
    if (this.account && keyOf(this.account) === key) this.known = known;
  }

  /** Once a problem, not once a poll: an outage has thousands of polls. */
  private complain(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    if (problem === this.lastProblem) return;
    this.lastProblem = problem;
    this.logger.warn(`trade events: no look at the account: ${problem}`);
  }
}

function keyOf({ login, server }: Account): string {
  return `${server}/${login}`;
}
