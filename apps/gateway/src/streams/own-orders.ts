import {
  isKnownOrder,
  ticketsIn,
  type AccountLook,
  type ExplainedAccount,
  type UnderWay,
} from '@libs/account-evidence';
import type { Clock } from '@libs/clock';
import type { TradeOrder, TradePosition } from '@libs/terminal-client';
import type { AcknowledgedFill, AcknowledgedOrder } from '../account-evidence/account-evidence';
import { isBeforeChange, showsChange } from '../orders/kept-values';
import type { IntentRecord } from '../trade-core/journal-records';

/** How long the lists may lag behind the broker's acknowledgement of an order. */
const lagMs = 5_000;
/** How long a list may still show an order whose cancellation the broker acknowledged: one that stays for longer was not cancelled. */
const cancelledMs = 60_000;

/** How long a history may lack what the broker acknowledged as filled: a deal that it never shows has another number. */
const filledMs = 60_000;

interface AwaitedFill extends AcknowledgedFill {
  /** Monotonic milliseconds until which a history that lacks it is incomplete. */
  readonly untilMs: number;
}

interface AwaitedOrder extends AcknowledgedOrder {
  /** Monotonic milliseconds from which a list must show it. */
  readonly dueMs: number;
}

/** Orders that the broker acknowledged to this gateway, until a list shows them. */
export class OwnOrders implements UnderWay {
  private readonly unseen = new Map<number, AwaitedOrder>();
  /** Orders that were cancelled. */
  private readonly cancelled = new Map<number, AwaitedOrder>();
  /** Changes that a list has shown. */
  private readonly shownChanges = new WeakSet<IntentRecord>();
  /** Fills of the last minute, by order. */
  private readonly filled = new Map<number, AwaitedFill>();

  /** @param owns whether the journal has a claim on a ticket */
  constructor(
    private readonly clock: Clock,
    private readonly owns: (ticket: number) => boolean,
  ) {}

  /** The broker acknowledged an order now. */
  acknowledged(order: AcknowledgedOrder): void {
    if (order.isCancelled === true) {
      this.cancelled.set(order.ticket, { ...order, dueMs: this.clock.monotonicMs() + cancelledMs });
      return;
    }
    this.unseen.set(order.ticket, { ...order, dueMs: this.clock.monotonicMs() + lagMs });
  }

  /** An order that the broker acknowledged to an earlier process: the lists must show it at once. */
  recalled(order: AcknowledgedOrder): void {
    if (order.isCancelled === true) return this.acknowledged(order);
    this.unseen.set(order.ticket, { ...order, dueMs: -Infinity });
  }

  /** The broker acknowledged a fill, now or to an earlier process. */
  acknowledgedFill(fill: AcknowledgedFill): void {
    this.filled.set(fill.order, { ...fill, untilMs: this.clock.monotonicMs() + filledMs });
  }

  isAcknowledged(ticket: number): boolean {
    return this.owns(ticket);
  }

  /** Orders that no list has shown yet, and those that a list may show although they were cancelled. */
  get awaited(): readonly AcknowledgedOrder[] {
    if (this.unseen.size === 0 && this.cancelled.size === 0) return [];
    const nowMs = this.clock.monotonicMs();
    for (const [ticket, { dueMs }] of this.cancelled) if (dueMs <= nowMs) this.cancelled.delete(ticket);
    return [...this.unseen.values(), ...this.cancelled.values()];
  }

  /** Fills of the last minute: a history may still lack them. */
  get fills(): readonly AcknowledgedFill[] {
    if (this.filled.size === 0) return [];
    const nowMs = this.clock.monotonicMs();
    for (const [order, { untilMs }] of this.filled) if (untilMs <= nowMs) this.filled.delete(order);
    return [...this.filled.values()];
  }

  /**
   * Whether a row shows what an executed change has replaced. Once a list has shown the change, such a row was set back by somebody.
   * @param late sends on the row that a list may be behind, the newest first
   */
  isBeforeChange(row: TradePosition | TradeOrder, late: readonly IntentRecord[]): boolean {
    const [newest] = late;
    if (newest === undefined || this.shownChanges.has(newest)) return false;
    if (showsChange(row, newest)) this.shownChanges.add(newest);
    return isBeforeChange(row, late);
  }

  get overdue(): UnderWay['overdue'] {
    if (this.unseen.size === 0) return [];
    const nowMs = this.clock.monotonicMs();
    return [...this.unseen.values()].filter(({ dueMs }) => dueMs <= nowMs);
  }

  /** What a look shows, or one before it has shown, is no longer awaited. */
  seen(look: AccountLook, known: ExplainedAccount | null): void {
    if (this.unseen.size === 0) return;
    const shown = ticketsIn(look);
    for (const [ticket, order] of this.unseen) {
      if (shown.has(ticket) || isKnownOrder(known, order)) this.unseen.delete(ticket);
    }
  }
}
