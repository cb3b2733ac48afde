import { Decimal } from 'decimal.js';
import type { IntentRecord } from '../trade-journal/journal-records';
import type { TradeAttempt } from '../trade-journal/trade-attempt';

const minuteMs = 60_000;

/** Capacity that one order holds, from its check until the lists of the broker show what it did. */
export interface ReservedOrder {
  readonly attempt: TradeAttempt;
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  /** Lots of the order. */
  readonly volume: number;
  /** Lots that it may add to what is open; 0 for an order that only reduces a netting position. */
  readonly addedVolume: number;
}

/** Lots by which held orders of one side are expected to reduce the opposite netting position of a symbol. */
export interface HeldReduction {
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly volume: Decimal;
}

interface HeldOrder extends ReservedOrder {
  /** The handler is still sending. */
  inFlight: boolean;
  readonly ended: Promise<void>;
}

/** What became of an order that holds capacity. */
type Standing =
  /** In flight, or of unknown outcome: the broker may execute it, or has. */
  | { readonly kind: 'open' }
  /** Executed, under these order tickets. */
  | { readonly kind: 'done'; readonly tickets: readonly number[] }
  /** Proven: nothing was done. */
  | { readonly kind: 'nothing' };

/**
 * The orders whose effect the lists of the broker may not show yet, and the entries of the last minute. An order holds
 * its capacity while it is in flight, while its outcome is unknown, and after it is done until the lists show it.
 */
export class EntryLedger {
  private held: HeldOrder[] = [];
  /** Monotonic milliseconds of each entry, oldest first. */
  private sent: { readonly atMs: number; readonly attempt: TradeAttempt | null }[] = [];

  /**
   * Holds capacity for an order. Call `end` when nothing more is sent for it: its outcome then decides how long the
   * capacity is held.
   */
  reserve(order: ReservedOrder, nowMs: number): { end: () => void } {
    let resolveEnded = (): void => undefined;
    const ended = new Promise<void>((resolve) => (resolveEnded = resolve));
    const held: HeldOrder = { ...order, inFlight: true, ended };
    this.held.push(held);
    if (order.addedVolume > 0) this.sent.push({ atMs: nowMs, attempt: order.attempt });
    const end = (): void => {
      held.inFlight = false;
      resolveEnded();
    };
    return { end };
  }

  /** Takes up a request of an earlier process whose outcome is unknown. */
  takeUp(order: ReservedOrder): void {
    this.held.push({ ...order, inFlight: false, ended: Promise.resolve() });
  }

  /** Takes up an entry that an earlier process sent. */
  takeUpSent(atMs: number): void {
    this.sent.push({ atMs, attempt: null });
    this.sent.sort((a, b) => a.atMs - b.atMs);
  }

  /** The entries of the last minute. */
  rate(nowMs: number): { readonly count: number; readonly nextInMs: number } {
    this.sent = this.sent.filter(
      ({ atMs, attempt }) => nowMs - atMs < minuteMs && (attempt === null || !this.wasNotSent(attempt)),
    );
    const [oldest] = this.sent;
    return { count: this.sent.length, nextInMs: oldest ? oldest.atMs + minuteMs - nowMs : 0 };
  }

  /** Tickets of orders that are done and may not be in the lists yet. */
  doneTickets(): number[] {
    return this.held.flatMap((order) => {
      const standing = standingOf(order);
      return standing.kind === 'done' ? standing.tickets : [];
    });
  }

  /** Lets go of what did nothing, and of what is done and shown. */
  drop(isShown: (ticket: number) => boolean): void {
    this.held = this.held.filter((order) => {
      const standing = standingOf(order);
      return standing.kind === 'open' || (standing.kind === 'done' && !standing.tickets.every(isShown));
    });
  }

  /** Lots held, by symbol. */
  addedVolumes(): Map<string, Decimal> {
    const volumes = new Map<string, Decimal>();
    for (const { symbol, addedVolume } of this.held) {
      volumes.set(symbol, (volumes.get(symbol) ?? new Decimal(0)).plus(addedVolume));
    }
    return volumes;
  }

  /** The reductions held: should the position be closed by something else before, they open as much instead. */
  reductions(): HeldReduction[] {
    const sums = new Map<string, HeldReduction>();
    for (const { symbol, side, volume, addedVolume } of this.held) {
      const key = `${side} ${symbol}`;
      const before = sums.get(key)?.volume ?? new Decimal(0);
      sums.set(key, { symbol, side, volume: before.plus(volume).minus(addedVolume) });
    }
    return [...sums.values()].filter(({ volume }) => volume.gt(0));
  }

  /** Lots of the held orders of one side of a symbol: what they may take away from an opposite netting position. */
  sideVolume(symbol: string, side: 'buy' | 'sell'): Decimal {
    const orders = this.held.filter((order) => order.symbol === symbol && order.side === side);
    return Decimal.sum(0, ...orders.map(({ volume }) => volume));
  }

  /** Resolve when the orders that are in flight now are no longer. */
  inFlight(): Promise<void>[] {
    return this.held.filter(({ inFlight }) => inFlight).map(({ ended }) => ended);
  }

  private wasNotSent(attempt: TradeAttempt): boolean {
    const order = this.held.find((held) => held.attempt === attempt);
    return !order?.inFlight && [...attempt.intents.values()].every(({ outcome }) => outcome.kind === 'not_sent');
  }
}

/** Whether an intent opens something. */
export function isEntry({ purpose }: Pick<IntentRecord, 'purpose'>): boolean {
  return purpose === 'open' || purpose === 'place_pending';
}

function standingOf({ attempt, inFlight }: HeldOrder): Standing {
  const outcomes = [...attempt.intents.values()].filter(isEntry).map(({ outcome }) => outcome);
  if (inFlight || outcomes.some(({ kind }) => kind === 'pending' || kind === 'unknown')) return { kind: 'open' };
  const tickets = outcomes.flatMap((outcome) => (outcome.kind === 'done' ? [outcome.result.order] : []));
  return tickets.length > 0 ? { kind: 'done', tickets } : { kind: 'nothing' };
}
