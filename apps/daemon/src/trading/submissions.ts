import type { Fill } from '@libs/strategy';
import type { LatencyBook } from '../latency/latency-book';
import { nanosNow } from '../latency/nanos';
import type { Origin } from './desk-surroundings';

/** Measures the latency of one strategy from decision to gateway, and from there to the fill. */
export class Submissions {
  /** Send times of pending orders, by intent. */
  private readonly waiting = new Map<string, number>();

  constructor(
    private readonly strategy: string,
    private readonly latency: LatencyBook,
  ) {}

  /** Records that a request is sent. @returns the time in monotonic nanoseconds */
  sent({ receivedNanos, decidedNanos }: Origin): number {
    const sentNanos = nanosNow();
    if (decidedNanos !== null) this.latency.record(this.strategy, 'signal_to_submission', sentNanos - decidedNanos);
    if (receivedNanos !== null) this.latency.record(this.strategy, 'tick_to_submission', sentNanos - receivedNanos);
    return sentNanos;
  }

  /** Notes an answer: a market order is filled by then, a pending one only begins to wait. */
  answered(intentId: string, sentNanos: number, isPlaced: boolean): void {
    if (isPlaced) this.waiting.set(intentId, sentNanos);
    else this.latency.record(this.strategy, 'submission_to_fill', nanosNow() - sentNanos);
  }

  filled({ intentId }: Fill): void {
    const sentNanos = intentId === null ? undefined : this.waiting.get(intentId);
    if (intentId === null || sentNanos === undefined) return;
    this.waiting.delete(intentId);
    this.latency.record(this.strategy, 'submission_to_fill', nanosNow() - sentNanos);
  }

  gone(intentId: string | null): void {
    if (intentId !== null) this.waiting.delete(intentId);
  }
}
