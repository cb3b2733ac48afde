import type { Deployed } from './deployed';
import { portfolioStatusOf } from './portfolio-row';
import { healthOf, listOf, statusOf } from './snapshots';

export type Row = Readonly<Record<string, unknown>>;

/** What a host publishes of itself to the others. */
export interface FleetReport {
  /** Without balances and the configuration. */
  readonly health: Row;
  readonly list: readonly Row[];
  readonly status: readonly Row[];
}

/** Maximum length of a published report, in characters. */
const mostCharacters = 1024 * 1024;
/** Members of a row that can have any length. */
const longMembers = ['accounts', 'positions', 'pendingOrders', 'pendingStackLayers', 'keptState', 'params', 'children'];

/** Rows of `GET /status`: portfolios, then strategies that belong to none. */
export function statusRowsOf({ portfolios, strategies }: Pick<Deployed, 'portfolios' | 'strategies'>): object[] {
  const alone = strategies.filter(({ spec }) => spec.portfolio === null);
  return [...portfolios.map(portfolioStatusOf), ...alone.map(statusOf)];
}

/** What this host shows now. */
export function reportOf(deployed: Deployed): FleetReport {
  const rows = (all: readonly object[]): Row[] => all.map((row) => ({ ...row }));
  return {
    health: { ...healthOf(deployed, false) },
    list: rows(listOf(deployed)),
    status: rows(statusRowsOf(deployed)),
  };
}

/** A report as JSON, shortened until it is not longer than the maximum. */
export function publishedText(report: FleetReport, most = mostCharacters): string {
  const { perStrategy: _perStrategy, ...health } = report.health;
  const status = report.status.map(shortened);
  for (const form of [report, { ...report, status }, { ...report, status: [] }, { health, list: [], status: [] }]) {
    const text = JSON.stringify(form);
    if (text.length <= most) return text;
  }
  return JSON.stringify({ health: {}, list: [], status: [] });
}

/** Long members are null, and not empty lists: they are not known to the reader. */
function shortened(row: Row): Row {
  const members = Object.entries(row).map(
    ([name, value]) => [name, longMembers.includes(name) ? null : value] as const,
  );
  return { ...Object.fromEntries(members), isShortened: true };
}
