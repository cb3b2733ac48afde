import {
  explain,
  isProfitOff,
  profitLooksWanted,
  type AccountLook,
  type ProfitLook,
  type Unexplained,
} from '@libs/account-evidence';
import type { Clock } from '@libs/clock';
import type { AccountChange, AccountInfo, PushedChanges, TerminalClient } from '@libs/terminal-client';
import type { AccountEvidence } from '../account-evidence/account-evidence';
import type { ServerTime } from '../server-time/server-time';
import { accountChanges } from './account-changes';
import { firstLook, lookCloser, readLists, type AccountShown } from './account-look';
import type { EventLog } from './event-log';
import { KnownAccount } from './known-account';
import { differs } from './list-differences';
import type { OwnOrders } from './own-orders';
import { readTouched } from './touched-look';
import { tradeEvent, type TradeChange } from './trade-event';

/** Interval of history reads while the lists show nothing new: balance operations, late deals. */
const historyMs = 1_000;
/** Interval of probes: whether the terminal has its server, the account and its balance. */
const probeMs = 1_000;
/** Looks in a row before a contradiction counts, because trades happen between the reads of one look. */
const looksWanted = 3;

/** A verified session: runs one call on it, or throws. */
export interface TerminalReads {
  read<T>(call: (terminal: TerminalClient) => Promise<T>): Promise<T>;
  /** Changes as the terminal reports them; null if it has to be polled. */
  readonly pushes: PushedChanges | null;
}

/** Reads of the terminal, and of the account of the session. */
export interface AccountReads extends TerminalReads {
  /**
   * Asks the terminal now whether it has its server, and for the account.
   * @throws an error if the session is lost
   */
  probe(): Promise<AccountInfo>;
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
  private hasEnded = false;
  private lastReadMs = 0;
  private profits: (ProfitLook & { readonly atMs: number; readonly offLooks: number }) | null = null;
  private probed: { readonly account: AccountInfo; readonly atMs: number } | null = null;

  constructor(
    readonly account: Account,
    private readonly terminal: AccountReads,
    private readonly log: EventLog,
    private readonly serverTime: ServerTime,
    private readonly clock: Clock,
    private readonly brokerClock: { nowMs(): number },
    private readonly evidence: AccountEvidence,
    private readonly ownOrders: OwnOrders,
  ) {}

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
    this.probed = null;
    this.evidence.begin(this.recall() ?? this.first);
  }

  /** Another account is logged in: nothing more is recorded for this one. */
  end(): void {
    this.hasEnded = true;
  }

  /**
   * Compares the whole account. A terminal that reports its changes is asked only for its account if there was none since the
   * last time.
   * @param withHistory reads the history even if the lists show nothing new
   * @returns whether everything was compared, the history included
   * @throws Error if a read or the write failed; then everything is found again
   */
  async compareAll(withHistory: boolean): Promise<boolean> {
    const isWanted = withHistory || !this.evidence.isExplained;
    const revision = this.terminal.pushes?.revision ?? null;
    const isSame = !isWanted && revision !== null && revision === this.seenRevision;
    if (isSame && !this.isProbeDue) return true;
    await this.requireWritable();
    const known = this.recall();
    if (isSame && !this.hasMoneyMoved(known, await this.probe())) return true;
    this.seenRevision = null;
    if (!known) {
      await this.begin();
      return true;
    }
    const beganMs = this.clock.monotonicMs();
    const wasBehind = this.behind;
    this.behind = true;
    const shown = await this.shown();
    const nowMs = this.clock.monotonicMs();
    const isQuiet =
      !isWanted && !shown.isProfitOff && !differs(known, shown) && !this.hasMoneyMoved(known, shown.account);
    if (isQuiet && nowMs - this.historyReadAtMs < historyMs) {
      this.behind = wasBehind;
      return false;
    }
    this.historyReadAtMs = nowMs;
    const first = await this.lookAt(known, shown);
    const { look, unexplained } = await this.untilExplained(first, () => this.lookAgain(known));
    this.lastReadMs = this.clock.monotonicMs() - beganMs;
    const isWaiting = await this.compare(known, look);
    this.evidence.settle(known, unexplained);
    this.behind = isWaiting || unexplained.length > 0;
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
    this.ownOrders.seen(look);
    const isWaiting = await this.compare(known, look);
    this.behind = isWaiting || explain(known, look, this.ownOrders).length > 0 || isUnseen(touched, look);
    if (wasSeen) this.sawThrough(revision);
    return true;
  }

  /** Everything up to a revision was compared, unless something waits or the lists may have lagged behind it. */
  private sawThrough(revision: number | null): void {
    const isCertain = !this.behind && this.terminal.pushes?.revision != null;
    this.seenRevision = isCertain ? revision : null;
  }

  /** While the log cannot be written, the account is only judged, and only if it is not explained: nothing is reported. */
  private async requireWritable(): Promise<void> {
    try {
      await this.log.requireWritable();
    } catch (error) {
      if (!this.evidence.isExplained) await this.judge();
      throw error;
    }
  }

  private async judge(): Promise<void> {
    const known = this.recall();
    if (!known) return;
    const { unexplained } = await this.untilExplained(await this.lookAgain(known), () => this.lookAgain(known));
    this.evidence.settle(known, unexplained);
  }

  private async lookAgain(known: KnownAccount): Promise<JudgedLook> {
    return this.lookAt(known, await this.shown());
  }

  private async lookAt(known: KnownAccount, shown: AccountShown): Promise<JudgedLook> {
    const nowMs = this.brokerClock.nowMs();
    const look = await this.terminal.read((terminal) => lookCloser(terminal, known, shown, nowMs));
    this.ownOrders.seen(look);
    return { look, unexplained: explain(known, look, this.ownOrders) };
  }

  /** Trades between the reads of a look contradict each other, so one contradiction proves nothing. */
  private async untilExplained(first: JudgedLook, again: () => Promise<JudgedLook>): Promise<JudgedLook> {
    let judged = first;
    for (let looks = 1; looks < looksWanted && judged.unexplained.length > 0; looks++) judged = await again();
    return judged;
  }

  /** The account, then the lists, so that what the account counts and the lists lack is not explained by time. */
  private async shown(): Promise<AccountShown> {
    const account = await this.probe();
    const lists = await this.terminal.read(readLists);
    const atMs = this.clock.monotonicMs();
    const before = this.profits;
    // Looks at the same moment show nothing about how prices move.
    if (before === null || atMs > before.atMs) {
      const isOff = isProfitOff({ account, ...lists }, before);
      this.profits = { account, positions: lists.positions, atMs, offLooks: isOff ? (before?.offLooks ?? 0) + 1 : 0 };
    }
    return { account, ...lists, isProfitOff: (this.profits?.offLooks ?? 0) >= profitLooksWanted };
  }

  private get isProbeDue(): boolean {
    return this.probed === null || this.clock.monotonicMs() - this.probed.atMs >= probeMs;
  }

  private async probe(): Promise<AccountInfo> {
    const account = await this.terminal.probe();
    this.probed = { account, atMs: this.clock.monotonicMs() };
    return account;
  }

  private hasMoneyMoved(known: KnownAccount | null, { balance }: AccountInfo): boolean {
    return known?.balance == null || known.balance !== balance;
  }

  private recall(): KnownAccount | null {
    return (this.known ??= this.log.account(keyOf(this.account)) ?? null);
  }

  /** @returns whether something waits for its explanation */
  private async compare(known: KnownAccount, look: AccountLook): Promise<boolean> {
    try {
      // With no new deal, the balance is the one after all that were reported.
      const isAfterAll = look.deals.every(({ ticket, time }) => known.deals.has(ticket, time));
      if (known.balance === null && look.account && isAfterAll) known.takeBalance(look.account.balance);
      const changes = accountChanges(known, look, this.ownOrders);
      if (changes.length > 0) await this.write(changes, known);
      return look.scope === null && differs(known, look);
    } finally {
      // What is not on disk was not reported.
      known.rollback();
    }
  }

  /** First snapshot of an account: existing positions and orders are not events. */
  private async begin(): Promise<void> {
    this.first ??= await this.firstSnapshot();
    if (this.first === null) return;
    await this.write([], this.first);
    this.known = this.first;
    this.first = null;
  }

  /** The account as the first explained look shows it; null if the look is not explained. */
  private async firstSnapshot(): Promise<KnownAccount | null> {
    const again = async (): Promise<JudgedLook> => {
      const shown = await this.shown();
      const look = await this.terminal.read((terminal) => firstLook(terminal, shown, this.brokerClock.nowMs()));
      this.ownOrders.seen(look);
      return { look, unexplained: explain(null, look, this.ownOrders) };
    };
    const { look, unexplained } = await this.untilExplained(await again(), again);
    const known = unexplained.length > 0 ? null : knownFrom(look);
    this.evidence.settle(known, unexplained);
    return known;
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

/** A look, and what of it nothing explains. */
interface JudgedLook {
  readonly look: AccountLook;
  readonly unexplained: readonly Unexplained[];
}

function knownFrom({ positions, orders, deals, doneOrders }: AccountLook): KnownAccount {
  const known = new KnownAccount();
  for (const deal of deals) known.addDeal(deal);
  for (const { ticket, time_done } of doneOrders) known.doneOrders.add(ticket, time_done);
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
