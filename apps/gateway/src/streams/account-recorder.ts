import type { Clock } from '@libs/clock';
import type { AccountChange, AccountInfo, PushedChanges, TerminalClient } from '@libs/terminal-client';
import type { ServerTime } from '../server-time/server-time';
import { accountChanges } from './account-changes';
import { afterAllRows, lookCloser, readLists, type AccountLook } from './account-look';
import type { EventLog } from './event-log';
import { KnownAccount } from './known-account';
import { differs } from './list-differences';
import { GracePeriod } from './grace-period';
import { readTouched } from './touched-look';
import { tradeEvent, type TradeChange } from './trade-event';

/** Interval of history reads while the lists show nothing new: balance operations, late deals. */
const historyMs = 1_000;
/** How long lists may contradict the history before the lists apply. */
const graceMs = 30_000;

/** A verified session: runs one call on it, or throws. */
export interface TerminalReads {
  read<T>(call: (terminal: TerminalClient) => Promise<T>): Promise<T>;
  /** Changes as the terminal reports them; null if it has to be polled. */
  readonly pushes: PushedChanges | null;
}

/** Reads of the terminal, and of the account of the session. */
export interface AccountReads extends TerminalReads {
  /** @throws an error if another account is logged in, or none */
  readAccount(): Promise<AccountInfo>;
}

/** What identifies an account. */
export type Account = Pick<AccountInfo, 'login' | 'server'>;

/** Emitted when the positions and orders known to listeners belong to another account. */
const accountChanged: TradeChange = { event: 'resync', action: 'account_changed' };

/**
 * Reads one account, compares it with the events so far, and appends what changed to the event log. It compares nothing after
 * a failed read, and reads nothing while the log cannot be written. Not reentrant.
 */
export class AccountRecorder {
  private known: KnownAccount | null = null;
  /** The first snapshot of the account, until it is on disk. */
  private first: KnownAccount | null = null;
  private historyReadAtMs = -Infinity;
  /** The terminal's revision that was compared completely; null if that is not known. */
  private seenRevision: number | null = null;
  private behind = false;
  private readonly grace: GracePeriod;
  private hasEnded = false;
  private lastReadMs = 0;

  constructor(
    readonly account: Account,
    private readonly terminal: AccountReads,
    private readonly log: EventLog,
    private readonly serverTime: ServerTime,
    private readonly clock: Clock,
    private readonly brokerClock: { nowMs(): number },
  ) {
    this.grace = new GracePeriod(clock, graceMs);
  }

  /** Duration of the last read of the terminal, milliseconds. */
  get readMs(): number {
    return this.lastReadMs;
  }

  /**
   * Something that was to be compared has not been seen. Until it is, newer rows are not reported by themselves, which keeps the
   * order: the whole account is read instead.
   */
  get isBehind(): boolean {
    return this.behind;
  }

  isOf(account: Account): boolean {
    return keyOf(account) === keyOf(this.account);
  }

  /** A session begins: rows may have changed unreported. */
  sessionBegan(): void {
    this.historyReadAtMs = -Infinity;
    this.seenRevision = null;
  }

  /** Another account is logged in: nothing more is recorded for this one. */
  end(): void {
    this.hasEnded = true;
  }

  /**
   * Compares the whole account. A terminal that reports its changes is not read if there was none since the last time.
   * @param withHistory reads the history even if the lists show nothing new
   * @returns whether everything was compared, the history included
   * @throws Error if a read or the write failed; then everything is found again
   */
  async compareAll(withHistory: boolean): Promise<boolean> {
    const revision = this.terminal.pushes?.revision ?? null;
    if (!withHistory && revision !== null && revision === this.seenRevision) return true;
    this.seenRevision = null;
    await this.log.requireWritable();
    const known = this.recall();
    if (!known) {
      await this.begin();
      return true;
    }
    const beganMs = this.clock.monotonicMs();
    const wasBehind = this.behind;
    this.behind = true;
    const lists = await this.terminal.read(readLists);
    const nowMs = this.clock.monotonicMs();
    if (!withHistory && !differs(known, lists) && nowMs - this.historyReadAtMs < historyMs) {
      this.behind = wasBehind;
      return false;
    }
    this.historyReadAtMs = nowMs;
    const look = await this.terminal.read((terminal) => lookCloser(terminal, known, lists, this.brokerClock.nowMs()));
    this.lastReadMs = this.clock.monotonicMs() - beganMs;
    await this.compare(known, look);
    this.behind = this.grace.isWaiting;
    this.sawThrough(revision);
    return true;
  }

  /** Compares only the rows that changed. @returns and throws as {@link compareAll} */
  async compareTouched(touched: AccountChange): Promise<boolean> {
    const known = this.recall();
    if (!known || touched.isWider || this.behind) return this.compareAll(true);
    const revision = this.terminal.pushes?.revision ?? null;
    const wasSeen = this.seenRevision !== null;
    // Whatever fails from here on is found by the next comparison of the whole account.
    this.seenRevision = null;
    this.behind = true;
    await this.log.requireWritable();
    const beganMs = this.clock.monotonicMs();
    const look = await this.terminal.read((terminal) => readTouched(terminal, known, touched));
    this.lastReadMs = this.clock.monotonicMs() - beganMs;
    await this.compare(known, look);
    this.behind = this.grace.isWaiting || isUnseen(touched, look);
    if (wasSeen) this.sawThrough(revision);
    return true;
  }

  /** Everything up to a revision was compared, unless something waits or the lists may have lagged behind it. */
  private sawThrough(revision: number | null): void {
    const isCertain = !this.grace.isWaiting && this.terminal.pushes?.revision != null;
    this.seenRevision = isCertain ? revision : null;
  }

  private recall(): KnownAccount | null {
    return (this.known ??= this.log.account(keyOf(this.account)) ?? null);
  }

  private async compare(known: KnownAccount, look: AccountLook): Promise<void> {
    try {
      const changes = accountChanges(known, look, this.grace);
      this.grace.endLook(look.scope === null);
      if (changes.length > 0) await this.write(changes, known);
    } finally {
      // What is not on disk was not reported.
      known.rollback();
    }
  }

  /** First snapshot of an account: existing positions and orders are not events. */
  private async begin(): Promise<void> {
    this.first ??= await this.terminal.read((terminal) => firstSnapshot(terminal, this.brokerClock.nowMs()));
    await this.write([], this.first);
    this.known = this.first;
    this.first = null;
  }

  /** Writes the changes, unless the session has changed to another account meanwhile. */
  private async write(changes: readonly TradeChange[], known: KnownAccount): Promise<void> {
    const { account } = this;
    const now = await this.terminal.readAccount();
    if (this.hasEnded || !this.isOf(now)) throw new Error('the account changed during the snapshot');
    const context = { recordedAt: new Date(this.clock.nowMs()).toISOString(), ...account };
    const key = keyOf(account);
    const isOther = this.log.lastAccount !== undefined && this.log.lastAccount !== key;
    const reported: TradeChange[] = [...(isOther ? [accountChanged] : []), ...changes];
    const events = reported.map((change) => tradeEvent(change, context, this.serverTime));
    await this.log.append(events, key, known);
  }
}

async function firstSnapshot(terminal: TerminalClient, nowMs: number): Promise<KnownAccount> {
  const to = afterAllRows(nowMs);
  const known = new KnownAccount();
  // Read before the lists: changes in between are found by the next snapshot.
  for (const { ticket, time } of await terminal.historyDealsGet({ from: 0, to })) known.deals.add(ticket, time);
  for (const { ticket, time_done } of await terminal.historyOrdersGet({ from: 0, to })) {
    known.doneOrders.add(ticket, time_done);
  }
  const { positions, orders } = await readLists(terminal);
  const toldThrough = known.deals.highest;
  for (const record of positions) known.positions.set(record.identifier, { record, toldThrough });
  for (const order of orders) known.orders.set(order.ticket, order);
  return known;
}

function keyOf({ login, server }: Account): string {
  return `${server}/${login}`;
}

/** An order that changed is in none of the lists yet. */
function isUnseen({ orders }: AccountChange, look: AccountLook): boolean {
  const seen = new Set([...look.orders, ...look.doneOrders].map(({ ticket }) => ticket));
  return [...orders].some((ticket) => !seen.has(ticket));
}
