import type { Fill } from '@libs/strategy';
import type { Clock } from '@libs/clock';
import type { OrderAnswer, TradeCall, TradeOutcome } from '@libs/gateway-client';
import { spanIdNamed, traceNamed, traceparentOf, type Spans } from '@libs/tracing';
import type { LatencyBook } from '../latency/latency-book';
import { nanosNow } from '../latency/nanos';
import type { Origin } from './surroundings';
import type { IntentRecord } from '../core/records';

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

/** Sends a request with the W3C header of the span that the gateway's own belongs below. */
type Send = (traceparent: string) => Promise<TradeOutcome<OrderAnswer>>;

/**
 * Records spans of one strategy: the decision that a request comes from, and below it each send of the request. All of
 * them are in the trace of the request's key.
 */
export class TradeSpans {
  constructor(
    private readonly strategy: string,
    private readonly spans: Spans,
    private readonly clock: Clock,
  ) {}

  /**
   * Records where a request comes from: from the receipt of the bar or tick to the decision of the handler. A request without
   * a known origin, such as the retry of a refused exit or the layer of a stack, has a span without a duration.
   */
  decided({ key, intentId, broker }: IntentRecord, { receivedNanos, decidedNanos }: Origin): void {
    if (!this.spans.isEnabled) return;
    const [nowMs, readNanos] = [this.clock.nowMs(), nanosNow()];
    const wallMs = (nanos: number): number => nowMs - (readNanos - nanos) / 1e6;
    const endMs = decidedNanos === null ? nowMs : wallMs(decidedNanos);
    const startMs = receivedNanos === null ? endMs : wallMs(receivedNanos);
    this.spans.record({
      name: decidedNanos === null ? 'strategy request' : 'strategy decision',
      kind: 'internal',
      context: traceNamed(key),
      parentSpanId: null,
      startMs,
      durationMs: endMs - startMs,
      attributes: { strategy: this.strategy, intent: intentId, gateway: broker, client_order_id: key },
      isError: false,
    });
  }

  /** Sends a request within a span of its own, as often as the request is sent. */
  async sent({ method, path }: TradeCall, key: string, broker: string, send: Send): Promise<TradeOutcome<OrderAnswer>> {
    const [startMs, startedMs] = [this.clock.nowMs(), this.clock.monotonicMs()];
    const decision = traceNamed(key);
    const context = { ...decision, spanId: spanIdNamed(`${key}/${startMs}`) };
    const outcome = await send(traceparentOf(context));
    if (this.spans.isEnabled) {
      this.spans.record({
        name: `${method} ${path}`,
        kind: 'client',
        context,
        parentSpanId: decision.spanId,
        startMs,
        durationMs: this.clock.monotonicMs() - startedMs,
        attributes: { gateway: broker, client_order_id: key, outcome: outcome.kind },
        isError: outcome.kind === 'unknown',
      });
    }
    return outcome;
  }
}
