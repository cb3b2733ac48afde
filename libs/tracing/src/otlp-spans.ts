import { setTimeout as wait } from 'node:timers/promises';
import { SpanKind, SpanStatusCode, TraceFlags, type SpanContext } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { Spans, type FinishedSpan, type SpanOptions } from './span';

type HrTime = [number, number];

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
/** How long a shutdown waits for the receiver. */
const longestCloseMs = 2_000;

/**
 * Exports spans by OTLP over HTTP, as JSON, in batches in the background. A full queue drops spans, and a receiver that fails costs
 * nothing but its spans.
 */
export class OtlpSpans extends Spans {
  readonly isEnabled = true;
  private readonly processor: BatchSpanProcessor;
  private readonly resource: Resource;
  private readonly version: string;

  constructor({ endpoint, service, version }: SpanOptions & { readonly endpoint: string }) {
    super();
    const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
    this.processor = new BatchSpanProcessor(new OTLPTraceExporter({ url }));
    this.resource = resourceFromAttributes({ 'service.name': service, 'service.version': version });
    this.version = version;
  }

  record(span: FinishedSpan): void {
    this.processor.onEnd(this.readable(span));
  }

  async close(): Promise<void> {
    const isOver = wait(longestCloseMs, undefined, { ref: false });
    await Promise.race([this.processor.shutdown().catch(() => undefined), isOver]);
  }

  private readable(span: FinishedSpan): ReadableSpan {
    const context = contextOf(span.context.traceId, span.context.spanId, span.context.isSampled);
    const parent = span.parentSpanId === null ? null : contextOf(span.context.traceId, span.parentSpanId, true);
    return {
      name: span.name,
      kind: kinds[span.kind],
      spanContext: () => context,
      ...(parent === null ? {} : { parentSpanContext: parent }),
      startTime: hrTime(span.startMs),
      endTime: hrTime(span.startMs + span.durationMs),
      duration: hrTime(span.durationMs),
      status: { code: span.isError ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
      attributes: span.attributes,
      links: [],
      events: [],
      ended: true,
      resource: this.resource,
      instrumentationScope: { name: 'trading-gateway', version: this.version },
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
  }
}

function contextOf(traceId: string, spanId: string, isSampled: boolean): SpanContext {
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE };
}

/** Seconds and nanoseconds. */
function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
