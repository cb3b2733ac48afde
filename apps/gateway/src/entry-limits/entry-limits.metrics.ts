import { gauge } from '@libs/metrics';
import { EntryLimitsReport } from './entry-limits-report';

/** The entry limits that are set, and their values at each scrape. An unreadable value has no series. */
export const entryLimitsMetrics = [
  gauge({
    name: 'entry_limit',
    help: 'Entry limits that are set.',
    labelNames: ['setting'],
    inject: [EntryLimitsReport],
    async collect(report: EntryLimitsReport) {
      const rows = await report.rows();
      this.reset();
      for (const { setting, limit } of rows) this.set({ setting }, limit);
    },
  }),
  gauge({
    name: 'entry_limit_value',
    help: 'Current value of each limit: entries, lots or account currency. The symbol is empty for the whole account.',
    labelNames: ['setting', 'symbol'],
    inject: [EntryLimitsReport],
    async collect(report: EntryLimitsReport) {
      const rows = await report.rows();
      this.reset();
      for (const { setting, symbol, value } of rows) {
        if (value !== null) this.set({ setting, symbol: symbol ?? '' }, value);
      }
    },
  }),
];
