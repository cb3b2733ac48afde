import {
  isKnownOrder,
  unshownOrder,
  type ExplainedAccount,
  type Spoils,
  type Unexplained,
} from '@libs/account-evidence';
import type { Clock } from '@libs/clock';
import { sameVolume, type TradeDeal, type TradeOrder, type TradePosition } from '@libs/terminal-client';
import { notSynchronized, NotSynchronizedError } from './not-synchronized.error';

/**
 * `unread`: without a session, or before the first look of a session. `explained`: the last look may be believed. `unexplained`:
 * the terminal shows something that nothing explains.
 */
export type EvidenceState = 'unread' | 'explained' | 'unexplained';

export interface EvidenceStatus {
  readonly state: EvidenceState;
  /** Start of the state, milliseconds since the epoch. */
  readonly sinceMs: number;
  /** The last explained look, milliseconds since the epoch; null before the first of the session. */
  readonly explainedAtMs: number | null;
  readonly unexplained: readonly Unexplained[];
  /** What follows if the account stays unexplained; null while it is explained. */
  readonly nextStep: string | null;
}

/** How long looks may fail before what was explained by the last one is not relied on for entries. */
const mostFailingMs = 10_000;

/** An order that the broker acknowledged. */
export interface AcknowledgedOrder {
  readonly ticket: number;
  readonly symbol: string;
  /** Server seconds of its send. */
  readonly time: number;
  /** The positions of a close as they were before it, in lots; none of an entry. */
  readonly closed: readonly { readonly ticket: number; readonly volume: number }[];
  /** The order itself was cancelled: no list of active orders may show it any more. */
  readonly isCancelled?: true;
}

/** What the broker has acknowledged as filled. */
export interface AcknowledgedFill {
  readonly deal: number;
  readonly order: number;
  /** Identifier of its position; null where that is not known, as of an entry on a netting account. */
  readonly position: number | null;
  readonly symbol: string;
  /** Server seconds before it: those of the last quote before its send. */
  readonly time: number;
  /** Whether the order is done: the rest of one that was filled in part may be active. */
  readonly isWhole: boolean;
}

/** What the broker has acknowledged, and the lists may not show yet. */
export interface Acknowledged {
  /** Orders that no list has shown, and cancelled ones that a list may still show. */
  readonly orders: () => readonly AcknowledgedOrder[];
  /** Of the last minute. */
  readonly fills: () => readonly AcknowledgedFill[];
  /** Whether a row shows what an executed change has replaced. */
  readonly isBeforeChange: (row: TradePosition | TradeOrder) => boolean;
}

const nothingAcknowledged: Acknowledged = { orders: () => [], fills: () => [], isBeforeChange: () => false };

/** A list that is behind is read again so often, and so long after each other: most terminals are behind by less. */
const readsAgain = 4;
const readAgainMs = 50;

/**
 * Looks at the whole account; several callers share one look. Never rejects.
 * @param isAnew shares no look that is under way, and reads the history, too
 */
export type Look = (isAnew?: boolean) => Promise<void>;

/**
 * Whether what the terminal shows of the account may be believed, and what was last explained. The watcher of the account
 * settles each look here; whoever reads a list asks here.
 */
export class AccountEvidence {
  private state: EvidenceState = 'unread';
  private sinceMs: number;
  private explainedAtMs: number | null = null;
  /** Whether the account was known before this session. */
  isReturning = false;
  private unexplained: readonly Unexplained[] = [];
  private known: ExplainedAccount | null = null;
  private look: Look = () => Promise.resolve();
  private acknowledged = nothingAcknowledged;
  /** Whether a person accepted something that nothing explains. */
  isAccepted: (one: Unexplained) => boolean = () => false;
  private readonly listeners = new Set<(status: EvidenceStatus) => void>();
  /** Looks since the start that were not explained. */
  unexplainedLooks = 0;
  /** Looks since the start. */
  looks = 0;
  private unexplainedMs = 0;
  private expected: string | null = null;
  private sessions = 0;
  private verdicts = 0;
  private lookProblem: string | null = null;
  /** First of the failed looks since the last one that succeeded, monotonic milliseconds. */
  private failingSinceMs: number | null = null;

  constructor(private readonly clock: Clock) {
    this.sinceMs = clock.nowMs();
  }

  /** Sets how the account is looked at. */
  lookBy(look: Look): void {
    this.look = look;
  }

  /** Sets what the lists may be behind. */
  awaitBy(acknowledged: Acknowledged): void {
    this.acknowledged = acknowledged;
  }

  /**
   * A session begins. The lists may be those of the last one.
   * @param known the account of this login as it was last explained
   * @param isAccepted whether a person accepted something of it that nothing explains
   */
  begin(known: ExplainedAccount | null, isAccepted: (one: Unexplained) => boolean = () => false): void {
    this.known = known;
    this.isReturning = known !== null;
    this.isAccepted = isAccepted;
    this.end();
  }

  /** The session ended, and nothing that it showed is believed any more. A look that is under way settles nothing. */
  end(): void {
    this.sessions += 1;
    this.verdicts += 1;
    this.succeeded();
    this.explainedAtMs = null;
    this.unexplained = [];
    this.move('unread');
  }

  /** Identifies the session, for {@link settle}. It changes when a session begins and when it ends. */
  get session(): number {
    return this.sessions;
  }

  /** The outcome of a look at the whole account. @param session as it was when the look began */
  settle(session: number, known: ExplainedAccount | null, unexplained: readonly Unexplained[]): void {
    if (session !== this.sessions) return;
    if (!this.isExplained || unexplained.length > 0) this.verdicts += 1;
    this.succeeded();
    this.known = known;
    this.unexplained = unexplained;
    this.looks += 1;
    if (unexplained.length > 0) {
      this.unexplainedLooks += 1;
      return this.move('unexplained');
    }
    this.explainedAtMs = this.clock.nowMs();
    this.move('explained');
  }

  /**
   * A look failed.
   * @param problem why; until the next look that succeeds
   * @param isUnread the terminal could not be read, so that nothing is known of the account since
   */
  failed(problem: string, isUnread: boolean): void {
    this.lookProblem = problem;
    if (!isUnread) return;
    const nowMs = this.clock.monotonicMs();
    this.failingSinceMs ??= nowMs;
    if (this.state !== 'explained' || nowMs - this.failingSinceMs < mostFailingMs) return;
    const message = `no look at the account succeeded for ${mostFailingMs / 1_000} s: ${problem}`;
    this.verdicts += 1;
    this.unexplained = [{ kind: 'not_looked_at', spoils: 'entries', ticket: null, symbol: null, message }];
    this.move('unexplained');
  }

  /** A look succeeded. */
  succeeded(): void {
    this.lookProblem = null;
    this.failingSinceMs = null;
  }

  /** Sets what follows if the account stays unexplained. */
  expect(step: string): void {
    this.expected = step;
  }

  get isExplained(): boolean {
    return this.state === 'explained';
  }

  /** Increases whenever a read that was answered may be refused, or the other way round. */
  get revision(): number {
    return this.verdicts;
  }

  /** The account as it was last explained; null before the first such look. */
  get account(): ExplainedAccount | null {
    return this.known;
  }

  get status(): EvidenceStatus {
    const { state, sinceMs, explainedAtMs, unexplained } = this;
    const nextStep = state === 'unexplained' ? this.expected : null;
    return { state, sinceMs, explainedAtMs, unexplained, nextStep };
  }

  /** Seconds since the start in which a look was not explained. */
  get unexplainedSeconds(): number {
    const runningMs = this.state === 'unexplained' ? this.clock.nowMs() - this.sinceMs : 0;
    return (this.unexplainedMs + Math.max(0, runningMs)) / 1_000;
  }

  /** Reports each change of the state. */
  onChange(listener: (status: EvidenceStatus) => void): void {
    this.listeners.add(listener);
  }

  /** Waits for the first look of the session, if there was none. */
  async read(): Promise<void> {
    if (this.state === 'unread') await this.look();
  }

  /**
   * Looks again unless the last look was explained.
   * @throws NotSynchronizedError if the account is not explained
   */
  async require(): Promise<void> {
    if (this.state !== 'explained') await this.look();
    if (this.error !== null) throw this.error;
  }

  /**
   * @param list the list that is to be believed
   * @returns the account as it was last explained
   * @throws NotSynchronizedError if the last look shows that the list is not loaded, or in a session without an explained look that the
   * other list is not: they load together, and nothing has shown that this one is whole
   */
  requireList(list: Exclude<Spoils, 'entries'>): ExplainedAccount {
    const known = this.requireHistory();
    const isLoading = this.explainedAtMs === null;
    const spoiled = this.unexplained.filter(({ spoils }) => spoils === list || (isLoading && spoils !== 'entries'));
    if (spoiled.length > 0) throw notSynchronized(spoiled);
    return known;
  }

  /**
   * Reads for a client. If the result lacks what the broker has acknowledged, looks at the account and reads a few more times.
   * @param lackOf what is behind or missing in a result
   * @throws NotSynchronizedError if it still does
   */
  async acknowledgedBy<Read>(read: () => Promise<Read>, lackOf: (what: Read) => readonly Unexplained[]): Promise<Read> {
    let what = await read();
    if (lackOf(what).length === 0) return what;
    await this.look();
    for (let again = 1; ; again++) {
      what = await read();
      const lack = lackOf(what);
      if (lack.length === 0) return what;
      if (again === readsAgain) throw notSynchronized(lack);
      await this.clock.sleep(readAgainMs);
    }
  }

  /**
   * In what a list of positions or active orders is as it was before an acknowledged order or change.
   * @param isBehind whether rows do not show what an order has done
   */
  behindIn<Row extends TradePosition | TradeOrder>(
    rows: readonly Row[],
    isBehind: (rows: readonly Row[], order: AcknowledgedOrder) => boolean,
  ): readonly Unexplained[] {
    const { orders, isBeforeChange } = this.acknowledged;
    return [
      ...orders().flatMap((order) => (this.isUnknown(order) && isBehind(rows, order) ? unshownOf(order) : [])),
      ...rows.filter(isBeforeChange).map(beforeChange),
    ];
  }

  /** An acknowledged close that a row of a position does not show, and that no look has shown; null if there is none. */
  unshownCloseOf({ ticket, volume }: Pick<TradePosition, 'ticket' | 'volume'>): Unexplained | null {
    const close = this.acknowledged
      .orders()
      .find(
        (order) =>
          this.isUnknown(order) &&
          order.closed.some((before) => before.ticket === ticket && sameVolume(before.volume, volume)),
      );
    return close ? { ...unshownOf(close), spoils: 'positions', ticket } : null;
  }

  /** What a history of deals lacks of acknowledged fills. @param isWanted whether it has to have the deal of a fill */
  lackingDeals(rows: readonly TradeDeal[], isWanted: (fill: AcknowledgedFill) => boolean): readonly Unexplained[] {
    return (
      this.acknowledged
        .fills()
        .filter((fill) => isWanted(fill) && !this.known?.deals.has(fill.deal, fill.time))
        // A broker may number the deal in its answer otherwise than in its history.
        .filter((fill) => !rows.some(({ ticket, order }) => ticket === fill.deal || order === fill.order))
        .map(({ deal, symbol }) => unshownInHistory('deal', deal, symbol))
    );
  }

  /** What a history of orders lacks of acknowledged fills. @param isWanted whether it has to have the order of a fill */
  lackingDoneOrders(
    rows: readonly TradeOrder[],
    isWanted: (fill: AcknowledgedFill) => boolean,
  ): readonly Unexplained[] {
    return this.acknowledged
      .fills()
      .filter((fill) => fill.isWhole && isWanted(fill) && !this.known?.doneOrders.has(fill.order, fill.time))
      .filter(({ order }) => !rows.some(({ ticket }) => ticket === order))
      .map(({ order, symbol }) => unshownInHistory('order', order, symbol));
  }

  /** The acknowledged orders that no look has shown: the money may be that of before them. Cancellations move none. */
  get unshown(): readonly Unexplained[] {
    const moving = this.acknowledged.orders().filter((order) => order.isCancelled !== true && this.isUnknown(order));
    return moving.map(unshownOf);
  }

  /** Looks at the account now. */
  lookAgain(): Promise<void> {
    return this.look();
  }

  /**
   * The same with a look that begins after this call: what the account was during one that is under way proves too little.
   * @returns why the account may not be relied on after it; null if the look succeeded and explained it
   */
  async lookAnew(): Promise<NotSynchronizedError | null> {
    await this.look(true);
    return this.error ?? (this.lookProblem === null ? null : notSynchronized([], this.lookProblem));
  }

  /** Whether no look has shown what was acknowledged. */
  private isUnknown(order: AcknowledgedOrder): boolean {
    return order.isCancelled === true || !isKnownOrder(this.known, order);
  }

  /** The account as it was last explained, to which a history is compared. @throws NotSynchronizedError if it never was */
  requireHistory(): ExplainedAccount {
    if (this.known === null) throw notSynchronized(this.unexplained, this.lookProblem);
    return this.known;
  }

  /** Why the account may not be relied on; null if it is explained. */
  get error(): NotSynchronizedError | null {
    return this.state === 'explained' ? null : notSynchronized(this.unexplained, this.lookProblem);
  }

  private move(next: EvidenceState): void {
    if (next === this.state) return;
    const nowMs = this.clock.nowMs();
    if (this.state === 'unexplained') this.unexplainedMs += Math.max(0, nowMs - this.sinceMs);
    this.state = next;
    this.sinceMs = nowMs;
    for (const listener of this.listeners) listener(this.status);
  }
}

function unshownOf(order: AcknowledgedOrder): Unexplained {
  const unshown = unshownOrder(order);
  if (order.isCancelled !== true) return unshown;
  return {
    ...unshown,
    spoils: 'orders',
    message: `order ${order.ticket} is shown; the broker acknowledged its cancellation`,
  };
}

function beforeChange(row: TradePosition | TradeOrder): Unexplained {
  const { ticket, symbol } = row;
  const [what, spoils] = 'identifier' in row ? (['position', 'positions'] as const) : (['order', 'orders'] as const);
  const message = `${what} ${ticket} is shown as it was before its last change`;
  return { kind: 'change_not_shown', spoils, ticket, symbol, message };
}

function unshownInHistory(what: 'deal' | 'order', ticket: number, symbol: string): Unexplained {
  const message = `the broker acknowledged ${what} ${ticket}, and the history does not show it`;
  return { kind: 'history_incomplete', spoils: 'entries', ticket, symbol, message };
}
