import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as OtlpModule from './otlp-spans';
import { Spans, type SpanOptions } from './span';

class NoSpans extends Spans {
  readonly isEnabled = false;
  record(): void {}
  close(): Promise<void> {
    return Promise.resolve();
  }
}

export const noSpans: Spans = new NoSpans();

/** Opens the export of spans. The packages of OpenTelemetry are loaded only if there is an endpoint. */
export function openSpans(options: SpanOptions): Spans {
  const { endpoint } = options;
  if (endpoint === undefined) return noSpans;
  const { OtlpSpans } = createRequire(__filename)('./otlp-spans') as typeof OtlpModule;
  return new OtlpSpans({ ...options, endpoint });
}

/** The id of a span, from a name that no other span of its trace has. */
export function spanIdNamed(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 16);
}
