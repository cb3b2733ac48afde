export { parseTraceparent, traceNamed, traceparentOf, type TraceContext } from './trace-context';
