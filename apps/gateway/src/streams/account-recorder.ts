import { areSumsOdd, sumUpTo, type AccountLook } from '@libs/account-evidence';
import type { Clock } from '@libs/clock';
import type { AccountChange, AccountInfo } from '@libs/terminal-client';
import type { AccountEvidence } from '../account-evidence/account-evidence';
import type { ServerTime } from '../server-time/server-time';
import { accountChanges } from './account-changes';
import { AccountLooks, type AccountReads } from './account-looks';
import type { EventLog } from './event-log';
import { KnownAccount } from './known-account';
import { differs } from './list-differences';
import type { SeenTickets } from './seen-tickets';
import type { OwnOrders } from './own-orders';
import { readTouched } from './touched-look';
import { tradeEvent, type TradeChange } from './trade-event';

/** Interval of history reads while the lists show nothing new: balance operations, late deals. */
const historyMs = 1_000;

/** What identifies an account. */
export type Account = Pick<AccountInfo, 'login' | 'server'>;

/** Emitted when the positions and orders known to listeners belong to another account. */
const accountChanged: TradeChange = { event: 'resync', action: 'account_changed' };

/** Emitted when a person accepted the account as it is shown. */
const accountAccepted: TradeChange = { event: 'resync', action: 'account_accepted' };

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
  private readonly looks: AccountLooks;

  constructor(
    readonly account: Account,
    private readonly terminal: AccountReads,
    private readonly log: EventLog,
    private readonly serverTime: ServerTime,
    private readonly clock: Clock,
    private readonly evidence: AccountEvidence,
    private readonly ownOrders: OwnOrders,
  ) {
    this.looks = new AccountLooks(terminal, clock, ownOrders);
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
    this.looks.begin();
    this.evidence.begin(this.recall() ?? this.first, (one) => this.looks.isAccepted(one));
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
    const { session } = this.evidence;
    const isWanted = withHistory || !this.evidence.isExplained;
    const revision = this.terminal.pushes?.revision ?? null;
    const isSame = !isWanted && revision !== null && revision === this.seenRevision;
    if (isSame && !this.looks.isProbeDue) return true;
    await this.requireWritable();
    const known = this.recall();
    if (isSame && !isInQuestion(known, await this.looks.probe())) return true;
    this.seenRevision = null;
    if (!known) {
      await this.begin();
      return true;
    }
    const beganMs = this.clock.monotonicMs();
    const wasBehind = this.behind;
    this.behind = true;
    const shown = await this.looks.shown();
    const nowMs = this.clock.monotonicMs();
    const isQuiet = !isWanted && !shown.isProfitOff && !differs(known, shown) && !isInQuestion(known, shown.account);
    if (isQuiet && nowMs - this.historyReadAtMs < historyMs) {
      this.behind = wasBehind;
      return false;
    }
    this.historyReadAtMs = nowMs;
    const { look, unexplained } = await this.looks.untilExplained(known, shown);
    this.lastReadMs = this.clock.monotonicMs() - beganMs;
    if (unexplained.length === 0) takeBalance(known, look);
    // Nothing of it is a change of this account.
    const isWaiting = isOfAnother(known, look) || (await this.compare(known, look));
    this.evidence.settle(session, known, unexplained);
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
    const isWaiting = await this.compare(known, look);
    this.behind = isWaiting || this.looks.judged(known, look).unexplained.length > 0 || isUnseen(touched, look);
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
    const { session } = this.evidence;
    const known = this.recall();
    if (!known) return;
    const { unexplained } = await this.looks.untilExplained(known, await this.looks.shown());
    this.evidence.settle(session, known, unexplained);
  }

  /** Key of the account in the log. */
  private get key(): string {
    const { books } = this.terminal;
    return books === '' ? keyOf(this.account) : `${keyOf(this.account)}/${books}`;
  }

  private recall(): KnownAccount | null {
    return (this.known ??= this.log.account(this.key) ?? null);
  }

  /** @returns whether something waits for its explanation */
  private async compare(known: KnownAccount, look: AccountLook): Promise<boolean> {
    try {
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
    const { session } = this.evidence;
    const { look, unexplained } = await this.looks.first();
    const known = unexplained.length > 0 ? null : knownFrom(look);
    this.evidence.settle(session, known, unexplained);
    return known;
  }

  /**
   * Takes the account as the terminal shows it now, on the decision of a person: what it lacks counts as ended without an event of
   * its own, and listeners are told to read the account again.
   * @throws Error if a read or the write failed; then nothing is accepted
   */
  async accept(): Promise<void> {
    const { session } = this.evidence;
    await this.log.requireWritable();
    const known = this.recall();
    const { look, unexplained } = known
      ? await this.looks.untilExplained(known, await this.looks.shown())
      : await this.looks.first();
    this.looks.accept(unexplained);
    const accepted = known ?? knownFrom(look);
    try {
      if (known) takeShown(known, look);
      await this.write([accountAccepted], accepted);
    } finally {
      accepted.rollback();
    }
    if (look.account) accepted.takeBalance(look.account.balance);
    this.known = accepted;
    this.seenRevision = null;
    this.evidence.settle(session, accepted, []);
  }

  /** Writes the changes, unless the session has changed to another account meanwhile. */
  private async write(changes: readonly TradeChange[], known: KnownAccount): Promise<void> {
    const { account } = this;
    const now = await this.terminal.readAccount();
    if (this.hasEnded || !this.isOf(now)) throw new Error('the account changed during the snapshot');
    const context = { recordedAt: new Date(this.clock.nowMs()).toISOString(), ...account };
    const { key } = this;
    const isOther = this.log.lastAccount !== undefined && this.log.lastAccount !== key;
    const reported: TradeChange[] = [...(isOther ? [accountChanged] : []), ...changes];
    const events = reported.map((change) => tradeEvent(change, context, this.serverTime));
    await this.log.append(events, key, known);
  }
}

/** The known account becomes what is shown. */
function takeShown(known: KnownAccount, { positions, orders, deals, doneOrders, historyFrom }: AccountLook): void {
  if (historyFrom !== null) {
    const lackedBy = (seen: SeenTickets, rows: readonly { readonly ticket: number }[], from: number): number[] =>
      seen.missingIn(new Set(rows.map(({ ticket }) => ticket)), from, Number.POSITIVE_INFINITY);
    known.forgoHistory(
      lackedBy(known.deals, deals, historyFrom.deals),
      lackedBy(known.doneOrders, doneOrders, historyFrom.doneOrders),
    );
  }
  const listed = new Set(positions.map(({ identifier }) => identifier));
  for (const [identifier] of known.positions) if (!listed.has(identifier)) known.positions.delete(identifier);
  const active = new Set(orders.map(({ ticket }) => ticket));
  for (const [ticket] of known.orders) if (!active.has(ticket)) known.orders.delete(ticket);
  for (const deal of deals) if (!known.deals.has(deal.ticket, deal.time)) known.addDeal(deal);
  for (const { ticket, time_done } of doneOrders) known.doneOrders.add(ticket, time_done);
  const toldThrough = known.deals.highest;
  for (const record of positions) known.positions.set(record.identifier, { record, toldThrough });
  for (const order of orders) known.orders.set(order.ticket, order);
}

/** With no new deal, the balance of an explained look is the one after all that were reported. */
function takeBalance(known: KnownAccount, { account, deals }: AccountLook): void {
  const isAfterAll = deals.every(({ ticket, time }) => known.deals.has(ticket, time));
  if (known.balance === null && account && isAfterAll) known.takeBalance(account.balance);
}

/** Whether the history of a look has nothing of what was seen lately, and other deals: a terminal may show those of another account. */
function isOfAnother({ deals: seen }: KnownAccount, { deals, historyFrom }: AccountLook): boolean {
  if (historyFrom === null || deals.length === 0 || deals.some(({ ticket }) => seen.isRecent(ticket))) return false;
  return seen.missingIn(new Set(), historyFrom.deals, Number.POSITIVE_INFINITY).length > 0;
}

/** Whether the balance has moved, or other sums of the account are not what they always are. */
function isInQuestion(known: KnownAccount | null, account: AccountInfo): boolean {
  return known?.balance == null || known.balance !== account.balance || areSumsOdd(account, known.positions.size > 0);
}

function knownFrom({ account, positions, orders, deals, doneOrders }: AccountLook): KnownAccount {
  const known = new KnownAccount();
  for (const deal of deals) known.addDeal(deal);
  for (const { ticket, time_done } of doneOrders) known.doneOrders.add(ticket, time_done);
  const toldThrough = known.deals.highest;
  for (const record of positions) known.positions.set(record.identifier, { record, toldThrough });
  for (const order of orders) known.orders.set(order.ticket, order);
  // On disk at once: money that moves until the next change is then explained by its deals, however late they come.
  if (account && sumUpTo(deals, account.balance, account.currency_digits)) known.takeBalance(account.balance);
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
