import { Decimal } from 'decimal.js';
import { addVolume } from '@libs/order-drafts';
import type { IntentRecord } from '../trade-core/journal-records';
import type { TradeAttempt } from '../trade-journal/trade-attempt';

const minuteMs = 60_000;

/** Capacity reserved by one order, from its check until the broker's lists show its effect. */
export interface ReservedOrder {
  readonly attempt: TradeAttempt;
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  /** Lots of the order. */
  readonly volume: number;
  /** Lots that it may add to the open volume; 0 for an order that only reduces a netting position. */
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

/** An entry that counts against the rate. */
interface SentEntry {
  /** End of its send, monotonic milliseconds; null while it is in flight. */
  atMs: number | null;
  readonly attempt: TradeAttempt | null;
}

/** State of an order that holds capacity. */
type Standing =
  /** In flight or of unknown outcome: the broker may have executed it, or may yet. */
  | { readonly kind: 'open' }
  /** Executed, under these order tickets. */
  | { readonly kind: 'done'; readonly tickets: readonly number[] }
  /** Proven that nothing was executed. */
  | { readonly kind: 'nothing' };

/**
 * Orders whose effect the broker's lists may not show yet, and the entries of the last minute. An order holds its
 * capacity while it is in flight, while its outcome is unknown, and after its execution until the lists show it.
 */
export class EntryLedger {
  private held: HeldOrder[] = [];
  private sent: SentEntry[] = [];

  /**
   * Holds capacity for an order. Call `end` with the monotonic milliseconds once nothing more is sent for it; its
   * outcome then decides how long the capacity is held.
   */
  reserve(order: ReservedOrder): { end: (nowMs: number) => void } {
    let resolveEnded = (): void => undefined;
    const ended = new Promise<void>((resolve) => (resolveEnded = resolve));
    const held: HeldOrder = { ...order, inFlight: true, ended };
    this.held.push(held);
    const entry: SentEntry = { atMs: null, attempt: order.attempt };
    if (order.addedVolume > 0) this.sent.push(entry);
    const end = (nowMs: number): void => {
      entry.atMs = nowMs;
      held.inFlight = false;
      resolveEnded();
    };
    return { end };
  }

  /** Adds a request with an unknown outcome from an earlier process. */
  takeUp(order: ReservedOrder): void {
    this.held.push({ ...order, inFlight: false, ended: Promise.resolve() });
  }

  /** Adds an entry that an earlier process sent. */
  takeUpSent(atMs: number): void {
    this.sent.push({ atMs, attempt: null });
  }

  /** Entries of the last minute and those in flight, whose minute starts when the broker can no longer receive them. */
  rate(nowMs: number): { readonly count: number; readonly nextInMs: number } {
    this.sent = this.sent.filter(
      ({ atMs, attempt }) => nowMs - (atMs ?? nowMs) < minuteMs && (attempt === null || !this.wasNotSent(attempt)),
    );
    const oldestMs = Math.min(...this.sent.map(({ atMs }) => atMs ?? nowMs));
    return { count: this.sent.length, nextInMs: this.sent.length === 0 ? 0 : oldestMs + minuteMs - nowMs };
  }

  /** Tickets of executed orders that the lists may not show yet. */
  doneTickets(): number[] {
    return this.held.flatMap((order) => {
      const standing = standingOf(order);
      return standing.kind === 'done' ? standing.tickets : [];
    });
  }

  /** Releases orders that did nothing, and executed ones that the lists show. */
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
      addVolume(volumes, symbol, addedVolume);
    }
    return volumes;
  }

  /** Held reductions. If something else closes the position first, they open that volume instead. */
  reductions(): HeldReduction[] {
    const sums = new Map<string, HeldReduction>();
    for (const { symbol, side, volume, addedVolume } of this.held) {
      const key = `${side} ${symbol}`;
      const before = sums.get(key)?.volume ?? new Decimal(0);
      sums.set(key, { symbol, side, volume: before.plus(volume).minus(addedVolume) });
    }
    return [...sums.values()].filter(({ volume }) => volume.gt(0));
  }

  /** Lots of the held orders of one side, by which they may reduce an opposite netting position. */
  sideVolume(symbol: string, side: 'buy' | 'sell'): Decimal {
    const orders = this.held.filter((order) => order.symbol === symbol && order.side === side);
    return Decimal.sum(0, ...orders.map(({ volume }) => volume));
  }

  /** Promises that resolve once the orders in flight now have ended. */
  inFlight(): Promise<void>[] {
    return this.held.filter(({ inFlight }) => inFlight).map(({ ended }) => ended);
  }

  private wasNotSent(attempt: TradeAttempt): boolean {
    const order = this.held.find((held) => held.attempt === attempt);
    return !order?.inFlight && [...attempt.intents.values()].every(({ outcome }) => outcome.kind === 'not_sent');
  }
}

/** Whether an intent opens a position or places an order. */
export function isEntry({ purpose }: Pick<IntentRecord, 'purpose'>): boolean {
  return purpose === 'open' || purpose === 'place_pending';
}

function standingOf({ attempt, inFlight }: HeldOrder): Standing {
  const outcomes = [...attempt.intents.values()].filter(isEntry).map(({ outcome }) => outcome);
  if (inFlight || outcomes.some(({ kind }) => kind === 'pending' || kind === 'unknown')) return { kind: 'open' };
  const tickets = outcomes.flatMap((outcome) => (outcome.kind === 'done' ? [outcome.result.order] : []));
  return tickets.length > 0 ? { kind: 'done', tickets } : { kind: 'nothing' };
}
