import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { MetricsRegistry } from '@libs/metrics';
import { AccountEvidence } from './account-evidence';

/** Metrics of the evidence for the account, read at each scrape. */
@Injectable()
export class EvidenceMetrics {
  constructor(registry: MetricsRegistry, evidence: AccountEvidence) {
    new Gauge({
      name: 'account_explained',
      help: '1 while what the terminal shows of the account is explained, else 0; entries are refused while it is 0.',
      registers: [registry],
      collect() {
        this.set(evidence.isExplained ? 1 : 0);
      },
    });
    new Counter({
      name: 'account_looks_total',
      help: 'Looks at the whole account, by whether they were explained.',
      labelNames: ['explained'],
      registers: [registry],
      collect() {
        this.reset();
        this.inc({ explained: 'yes' }, evidence.looks - evidence.unexplainedLooks);
        this.inc({ explained: 'no' }, evidence.unexplainedLooks);
      },
    });
    new Counter({
      name: 'account_unexplained_seconds_total',
      help: 'Seconds in which the account was not explained.',
      registers: [registry],
      collect() {
        this.reset();
        this.inc(evidence.unexplainedSeconds);
      },
    });
  }
}
