export { parseTraceparent, traceNamed, traceparentOf, type TraceContext } from './trace-context';
export { Spans, type FinishedSpan, type SpanOptions } from './span';
export { noSpans, openSpans, spanIdNamed } from './spans';
