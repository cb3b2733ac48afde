import { gauge } from '@libs/metrics';
import { TradeJournal } from './trade-journal';

/** Metrics of the journal's disk, trust and unknown outcomes, read at each scrape. */
export const journalMetrics = [
  gauge({
    name: 'unknown_outcomes_unresolved',
    help: 'Trade requests whose outcome is still being looked up.',
    inject: [TradeJournal],
    collect(journal: TradeJournal) {
      this.set(journal.unresolved().filter(({ isUndecidable }) => !isUndecidable).length);
    },
  }),
  gauge({
    name: 'unknown_outcomes_undecidable',
    help: 'Trade requests whose outcome can no longer be determined.',
    inject: [TradeJournal],
    collect(journal: TradeJournal) {
      this.set(journal.unresolved().filter(({ isUndecidable }) => isUndecidable).length);
    },
  }),
  gauge({
    name: 'journal_writable',
    help: '1 while the trade journal can be written, 0 while new risk is denied because it cannot.',
    inject: [TradeJournal],
    collect(journal: TradeJournal) {
      this.set(journal.isWritable ? 1 : 0);
    },
  }),
  gauge({
    name: 'journal_lost',
    help: '1 while the trade journal counts as lost and an operator has not accepted it.',
    inject: [TradeJournal],
    collect(journal: TradeJournal) {
      this.set(journal.trust.isLost ? 1 : 0);
    },
  }),
];
