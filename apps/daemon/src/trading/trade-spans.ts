import type { Clock } from '@libs/clock';
import type { OrderAnswer, TradeCall, TradeOutcome } from '@libs/gateway-client';
import { spanIdNamed, traceNamed, traceparentOf, type Spans } from '@libs/tracing';
import type { IntentRecord } from '../core/records';
import { nanosNow } from '../latency/nanos';
import type { Origin } from './desk-surroundings';

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
      ...{ name: decidedNanos === null ? 'strategy request' : 'strategy decision', kind: 'internal' },
      ...{ context: traceNamed(key), parentSpanId: null, startMs, durationMs: endMs - startMs },
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
        ...{ name: `${method} ${path}`, kind: 'client', context, parentSpanId: decision.spanId },
        ...{ startMs, durationMs: this.clock.monotonicMs() - startedMs },
        attributes: { gateway: broker, client_order_id: key, outcome: outcome.kind },
        isError: outcome.kind === 'unknown',
      });
    }
    return outcome;
  }
}
