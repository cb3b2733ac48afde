import { counter, gauge } from '@libs/metrics';
import { AccountEvidence } from './account-evidence';

/** Metrics of the evidence for the account, read at each scrape. */
export const evidenceMetrics = [
  gauge({
    name: 'account_explained',
    help: '1 while what the terminal shows of the account is explained, else 0, also without a session; entries are refused while it is 0.',
    inject: [AccountEvidence],
    collect(evidence: AccountEvidence) {
      this.set(evidence.isExplained ? 1 : 0);
    },
  }),
  counter({
    name: 'account_looks_total',
    help: 'Looks at the whole account, by whether they were explained.',
    labelNames: ['explained'],
    inject: [AccountEvidence],
    collect(evidence: AccountEvidence) {
      this.reset();
      this.inc({ explained: 'yes' }, evidence.looks - evidence.unexplainedLooks);
      this.inc({ explained: 'no' }, evidence.unexplainedLooks);
    },
  }),
  counter({
    name: 'account_unexplained_seconds_total',
    help: 'Seconds in which the account was unexplained; time without a session does not count.',
    inject: [AccountEvidence],
    collect(evidence: AccountEvidence) {
      this.reset();
      this.inc(evidence.unexplainedSeconds);
    },
  }),
];
