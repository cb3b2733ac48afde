import { gauge } from '@libs/metrics';
import { TradeJournal } from './trade-journal';

const journalGauge = (name: string, help: string, valueOf: (journal: TradeJournal) => number) =>
  gauge({
    name,
    help,
    inject: [TradeJournal],
    collect(journal: TradeJournal) {
      this.set(valueOf(journal));
    },
  });

/** Metrics of the journal's disk, trust and unknown outcomes, read at each scrape. */
export const journalMetrics = [
  journalGauge(
    'unknown_outcomes_unresolved',
    'Trade requests whose outcome is still being looked up.',
    (journal) => journal.unresolved().filter(({ isUndecidable }) => !isUndecidable).length,
  ),
  journalGauge(
    'unknown_outcomes_undecidable',
    'Trade requests whose outcome can no longer be determined.',
    (journal) => journal.unresolved().filter(({ isUndecidable }) => isUndecidable).length,
  ),
  journalGauge(
    'journal_writable',
    '1 while the trade journal can be written, 0 while new risk is denied because it cannot.',
    (journal) => (journal.isWritable ? 1 : 0),
  ),
  journalGauge(
    'journal_lost',
    '1 while the trade journal counts as lost and an operator has not accepted it.',
    ({ trust }) => (trust.isLost ? 1 : 0),
  ),
];
