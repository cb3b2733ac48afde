import type { EquityPage, GatewayClient } from '@libs/gateway-client';

/** A time over which balance and equity are shown. */
export interface CurveSpan {
  readonly text: string;
  readonly days: number;
  /** Minutes from one reading to the next. */
  readonly everyMinutes: number;
}

export const curveSpans = [
  { text: '1 day', days: 1, everyMinutes: 1 },
  { text: '7 days', days: 7, everyMinutes: 5 },
  { text: '30 days', days: 30, everyMinutes: 20 },
  { text: '90 days', days: 90, everyMinutes: 60 },
] as const satisfies readonly CurveSpan[];

/** What the gateway recorded over a span. A page is longer than any of them. */
export type Curve = Pick<EquityPage, 'readings' | 'problem'>;

/** @throws GatewayReadError if it cannot be read */
export function readCurve({ reads }: GatewayClient, { days, everyMinutes }: CurveSpan): Promise<Curve> {
  const since = new Date(Date.now() - days * 86_400_000);
  return reads.equityPage({ since, ...(everyMinutes === 1 ? {} : { every_minutes: everyMinutes }) });
}
