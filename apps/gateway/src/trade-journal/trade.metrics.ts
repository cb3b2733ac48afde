import { Counter, Gauge, Histogram } from 'prom-client';
import { histogramBuckets, type MetricsRegistry } from '@libs/metrics';
import { isBuyOrder, LastErrorCode, retcodeName, TradeAction, type TradeRequest } from '@libs/terminal-client';
import type { SettledOutcome } from './journal-records';
import type { TradeJournal } from './trade-journal';

/** Metrics of the trade path. */
export class TradeMetrics {
  private readonly submitted: Counter<'symbol' | 'side'>;
  private readonly failed: Counter<'retcode_name'>;
  private readonly refusals: Counter<'error_type'>;
  private readonly replays: Counter;
  private readonly unknowns: Counter;
  private readonly sendDuration: Histogram;

  constructor(registry: MetricsRegistry, journal: TradeJournal) {
    const registers = [registry];
    this.submitted = new Counter({
      name: 'orders_submitted_total',
      help: 'Orders sent to the broker, market and pending, closes included.',
      labelNames: ['symbol', 'side'] as const,
      registers,
    });
    this.failed = new Counter({
      name: 'orders_failed_total',
      help: 'Sends that the broker rejected, by its retcode.',
      labelNames: ['retcode_name'] as const,
      registers,
    });
    this.refusals = new Counter({
      name: 'trade_refusals_total',
      help: 'Trade requests refused before anything was sent.',
      labelNames: ['error_type'] as const,
      registers,
    });
    this.replays = new Counter({
      name: 'idempotent_replays_total',
      help: 'Trade requests answered from the journal.',
      registers,
    });
    this.unknowns = new Counter({
      name: 'unknown_outcomes_total',
      help: 'Sends that ended with an unknown outcome.',
      registers,
    });
    this.sendDuration = new Histogram({
      name: 'order_send_duration_seconds',
      help: 'Time from a send to its answer.',
      buckets: histogramBuckets,
      registers,
    });
    new Gauge({
      name: 'unknown_outcomes_unresolved',
      help: 'Trade requests whose outcome is still being looked up.',
      registers,
      collect() {
        this.set(journal.unresolved().filter(({ isUndecidable }) => !isUndecidable).length);
      },
    });
    new Gauge({
      name: 'unknown_outcomes_undecidable',
      help: 'Trade requests whose outcome can no longer be determined.',
      registers,
      collect() {
        this.set(journal.unresolved().filter(({ isUndecidable }) => isUndecidable).length);
      },
    });
  }

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
