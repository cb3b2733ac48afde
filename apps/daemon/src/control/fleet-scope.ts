import { ApiError, validationError } from '@libs/envelope';
import type { HostReport } from '@libs/postgres';
import { publishMs } from '../leases/published-reports';
import type { SharedUnits } from '../leases/shared-units';
import { reportOf, type FleetReport, type Row } from './fleet-report';
import type { Deployed } from './deployed';

/** A report older than this is marked as stale. */
const staleMs = 3 * publishMs;

/** A host with what it shows: this one as it is now, another one as it has published it. */
interface ReportedHost {
  readonly name: string;
  /** Null for this host, and for one that has not published yet. */
  readonly ageMs: number | null;
  readonly isOwn: boolean;
  readonly isStale: boolean;
  readonly report: FleetReport | null;
  /** Units whose leases the host holds now. */
  readonly leases: readonly string[];
}

/**
 * Whether a request asks for all hosts: `scope=fleet`. Without the parameter, or with `scope=host`, it is this host.
 * @throws ApiError 400 for another scope, and for a fleet without a database
 */
export function isFleetScope(scope: unknown, { units = null }: Pick<Deployed, 'units'>): boolean {
  if (scope === undefined || scope === 'host') return false;
  if (scope !== 'fleet') throw validationError({ field: 'scope', problem: 'must be host or fleet' });
  if (units === null)
    throw validationError({ field: 'scope', problem: 'there is no fleet without DAEMON_DATABASE_URL' });
  return true;
}

/** @throws ApiError 400 for `scope=fleet` of a route that shows one host */
export function requireHostScope(scope: unknown): void {
  if (scope === undefined || scope === 'host') return;
  throw validationError({ field: 'scope', problem: 'must be host: ask the host itself for this' });
}

/** Rows of `GET /list` or `GET /status` of all hosts, one for each name. @throws ApiError 503 */
export async function fleetRows(
  deployed: Deployed,
  units: Pick<SharedUnits, 'reports'>,
  of: 'list' | 'status',
): Promise<Row[]> {
  const hosts = await hostsOf(deployed, units);
  const rows = hosts.flatMap((host) => [
    ...(host.report?.[of] ?? []).map((row) => marked(row, host)),
    ...unshown(host, of),
  ]);
  const names = new Set(rows.map((row) => row['name']));
  return [...names].flatMap((name) => best(rows.filter((row) => row['name'] === name)));
}

/** The row of a strategy, portfolio or child; null if no host shows it. @throws ApiError 503 */
export async function fleetRow(
  deployed: Deployed,
  units: Pick<SharedUnits, 'reports'>,
  name: string,
): Promise<Row | null> {
  const rows = await fleetRows(deployed, units, 'status');
  const whole = rows.find((row) => row['name'] === name);
  if (whole) return whole;
  const parent = rows.find((row) => row['name'] === name.split('/', 1)[0]);
  const children = Array.isArray(parent?.['children']) ? (parent['children'] as readonly Row[]) : [];
  const child = children.find((row) => row['name'] === name);
  if (!parent || !child) return null;
  const { host, ageMs, isStale } = parent;
  return 'ageMs' in parent ? { ...child, host, ageMs, isStale } : { ...child, host };
}

/** `GET /health` of all hosts, without balances. @throws ApiError 503 */
export async function fleetHealth(deployed: Deployed, units: Pick<SharedUnits, 'reports'>): Promise<object> {
  const hosts = await hostsOf(deployed, units);
  const problems = hosts.flatMap((host) => problemsOf(host).map((problem) => `${host.name}: ${problem}`));
  return {
    status: 'ok',
    condition: problems.length === 0 ? 'ok' : 'degraded',
    problems,
    hosts: hosts.map(({ name, ageMs, isOwn, isStale, report }) => ({
      host: name,
      ...(isOwn ? {} : { ageMs, isStale }),
      ...report?.health,
    })),
  };
}

function problemsOf({ isStale, leases, report }: ReportedHost): readonly string[] {
  const reported = report?.health['problems'];
  const problems = Array.isArray(reported) ? reported.map(String) : [];
  if (!isStale) return problems;
  // A host that was killed is replaced: what it showed last is not a problem of the fleet any more.
  return leases.length === 0 ? [] : [...problems, 'The host holds leases, but has not published its state recently.'];
}

/** @throws ApiError 503 when the database cannot be read: what the others show is not known then */
async function hostsOf(deployed: Deployed, { reports }: Pick<SharedUnits, 'reports'>): Promise<ReportedHost[]> {
  let published: readonly HostReport[];
  try {
    published = await reports.read();
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new ApiError('not_ready', `the database of the fleet cannot be read: ${problem}`);
  }
  const own = published.find(({ id }) => id === reports.id);
  const others = published.filter(({ id }) => id !== reports.id);
  return [
    {
      name: deployed.units?.host ?? '',
      ageMs: null,
      isOwn: true,
      isStale: false,
      leases: own?.leases ?? [],
      report: reportOf(deployed),
    },
    ...others.map(({ name, report, ageMs, leases }) => ({
      name,
      ageMs: ageMs === null ? null : Math.round(ageMs),
      isOwn: false,
      leases,
      isStale: ageMs === null || ageMs > staleMs,
      report: report === null ? null : (JSON.parse(report) as FleetReport),
    })),
  ];
}

/** A row of another host is stale as well when that host does not hold the lease any more. */
function marked(row: Row, { name, ageMs, isOwn, isStale, leases }: ReportedHost): Row {
  if (isOwn) return { ...row, host: name };
  return { ...row, host: name, ageMs, isStale: isStale || !leases.includes(unitOf(row)) };
}

/** Units that a host holds and has not published yet: their state is not known. */
function unshown({ name, isOwn, report, leases }: ReportedHost, of: 'list' | 'status'): readonly Row[] {
  if (isOwn) return [];
  const shown = new Set((report?.[of] ?? []).map(unitOf));
  const unknown = leases.filter((unit) => !shown.has(unit));
  return unknown.map((unit) => ({ name: unit, state: 'unknown', host: name, ageMs: null, isStale: true }));
}

/** What is current, before what is not; then what this host shows itself, and what was published last. */
function best(rows: readonly Row[]): readonly Row[] {
  const rank = (row: Row): number => {
    if (row['isStale'] === true) return Number.MAX_SAFE_INTEGER / 2 + Number(row['ageMs'] ?? 0);
    return Number(row['ageMs'] ?? -1);
  };
  return [...rows].sort((one, other) => rank(one) - rank(other)).slice(0, 1);
}

function unitOf(row: Row): string {
  return String(row['name']).split('/', 1)[0] ?? '';
}
