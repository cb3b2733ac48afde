import { ticketsIn, type AccountLook, type UnderWay } from '@libs/account-evidence';
import type { Clock } from '@libs/clock';

/** How long the lists may lag behind the broker's acknowledgement of an order. */
const lagMs = 5_000;

/** An order that the broker acknowledged. */
export type OwnOrder = { readonly ticket: number } & Omit<AcknowledgedOrder, 'dueMs'>;

interface AcknowledgedOrder {
  readonly symbol: string;
  /** A close leaves no row of its own in the list of positions. */
  readonly isClose: boolean;
  /** Server seconds of its send. */
  readonly time: number;
  /** Monotonic milliseconds from which a list must show it. */
  readonly dueMs: number;
}

/** Orders that the broker acknowledged to this gateway, until a list shows them. */
export class OwnOrders implements UnderWay {
  private readonly unseen = new Map<number, AcknowledgedOrder>();

  /** @param owns whether the journal has a claim on a ticket */
  constructor(
    private readonly clock: Clock,
    private readonly owns: (ticket: number) => boolean,
  ) {}

  /** The broker acknowledged an order now. */
  acknowledged({ ticket, ...order }: OwnOrder): void {
    this.unseen.set(ticket, { ...order, dueMs: this.clock.monotonicMs() + lagMs });
  }

  /** An order that the broker acknowledged to an earlier process: the lists must show it at once. */
  recalled({ ticket, ...order }: OwnOrder): void {
    this.unseen.set(ticket, { ...order, dueMs: -Infinity });
  }

  isAcknowledged(ticket: number): boolean {
    return this.owns(ticket);
  }

  /** Entries that no list has shown yet. */
  get awaited(): UnderWay['overdue'] {
    if (this.unseen.size === 0) return [];
    const entries = [...this.unseen].filter(([, { isClose }]) => !isClose);
    return entries.map(([ticket, { symbol, time }]) => ({ ticket, symbol, time }));
  }

  get overdue(): UnderWay['overdue'] {
    if (this.unseen.size === 0) return [];
    const nowMs = this.clock.monotonicMs();
    const due = [...this.unseen].filter(([, { dueMs }]) => dueMs <= nowMs);
    return due.map(([ticket, { symbol, time }]) => ({ ticket, symbol, time }));
  }

  /** What a look shows is no longer awaited. */
  seen(look: AccountLook): void {
    if (this.unseen.size === 0) return;
    const shown = ticketsIn(look);
    for (const ticket of this.unseen.keys()) if (shown.has(ticket)) this.unseen.delete(ticket);
  }
}
