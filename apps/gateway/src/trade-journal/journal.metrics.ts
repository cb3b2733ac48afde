import { Gauge } from 'prom-client';
import type { MetricsRegistry } from '@libs/metrics';
import type { TradeJournal } from './trade-journal';

/** Metrics of the journal's disk and trust. */
export class JournalMetrics {
  constructor(registry: MetricsRegistry, journal: TradeJournal) {
    const registers = [registry];
    new Gauge({
      name: 'journal_writable',
      help: '1 while the trade journal can be written, 0 while new risk is denied because it cannot.',
      registers,
      collect() {
        this.set(journal.isWritable ? 1 : 0);
      },
    });
    new Gauge({
      name: 'journal_lost',
      help: '1 while the trade journal counts as lost and an operator has not accepted it.',
      registers,
      collect() {
        this.set(journal.trust.isLost ? 1 : 0);
      },
    });
  }
}
