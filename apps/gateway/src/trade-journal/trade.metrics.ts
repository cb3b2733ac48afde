import { Injectable } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import { Counter, Histogram } from 'prom-client';
import { counter, histogram, histogramBuckets } from '@libs/metrics';
import { isBuyOrder, LastErrorCode, retcodeName, TradeAction, type TradeRequest } from '@libs/terminal-client';
import type { SettledOutcome } from '../trade-core/journal-records';

/** Metrics of the trade path, in which {@link TradeMetrics} counts. */
export const tradeMetrics = [
  counter({
    name: 'orders_submitted_total',
    help: 'Orders sent to the broker, market and pending, closes included.',
    labelNames: ['symbol', 'side'],
  }),
  counter({
    name: 'orders_failed_total',
    help: 'Sends that the broker rejected, by its retcode.',
    labelNames: ['retcode_name'],
  }),
  counter({
    name: 'trade_refusals_total',
    help: 'Trade requests refused before anything was sent.',
    labelNames: ['error_type'],
  }),
  counter({ name: 'idempotent_replays_total', help: 'Trade requests answered from the journal.' }),
  counter({ name: 'unknown_outcomes_total', help: 'Sends that ended with an unknown outcome.' }),
  histogram({
    name: 'order_send_duration_seconds',
    help: 'Time from a send to its answer.',
    buckets: histogramBuckets,
  }),
];

/** Counts what happens on the trade path. */
@Injectable()
export class TradeMetrics {
  constructor(
    @InjectMetric('orders_submitted_total') private readonly submitted: Counter<'symbol' | 'side'>,
    @InjectMetric('orders_failed_total') private readonly failed: Counter<'retcode_name'>,
    @InjectMetric('trade_refusals_total') private readonly refusals: Counter<'error_type'>,
    @InjectMetric('idempotent_replays_total') private readonly replays: Counter,
    @InjectMetric('unknown_outcomes_total') private readonly unknowns: Counter,
    @InjectMetric('order_send_duration_seconds') private readonly sendDuration: Histogram,
  ) {}

  sending(request: TradeRequest): void {
    if (request.action !== TradeAction.DEAL && request.action !== TradeAction.PENDING) return;
    this.submitted.inc({ symbol: request.symbol, side: isBuyOrder(request.type) ? 'buy' : 'sell' });
  }

  settled(outcome: SettledOutcome, durationMs: number): void {
    this.sendDuration.observe(durationMs / 1_000);
    if (outcome.kind === 'unknown') this.unknowns.inc();
    if (outcome.kind !== 'rejected') return;
    this.failed.inc({ retcode_name: rejectionName(outcome) });
  }

  /** Counts a send that an earlier process was stopped in. */
  interrupted(): void {
    this.unknowns.inc();
  }

  refused(errorType: string): void {
    this.refusals.inc({ error_type: errorType });
  }

  replayed(): void {
    this.replays.inc();
  }
}

/** The retcode's name, or that of the last_error if the terminal rejected the request unsent. */
function rejectionName({ result, lastError }: Extract<SettledOutcome, { kind: 'rejected' }>): string {
  if (result) return retcodeName(result.retcode);
  return lastError?.code === LastErrorCode.AUTO_TRADING_DISABLED ? 'AUTO_TRADING_DISABLED' : 'INVALID_PARAMS';
}
