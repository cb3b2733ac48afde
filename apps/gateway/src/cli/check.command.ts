import { table } from '@libs/command-line';
import type {
  HealthReport,
  NotificationChannel,
  ReadinessReport,
  Reconciliation,
  SignalSourceReport,
} from '@libs/gateway-client';
import { countText } from '@libs/gateway-client';
import { printJson, type CommandCall } from './command';
import { exitCodes, partOf, type Part } from './exit-codes';
import { downChecks } from './status.command';

export interface Finding {
  readonly what: string;
  /** Null for what could not be read. */
  readonly ok: boolean | null;
  readonly detail: string;
}

/** `gateway check`: everything that needs an operator, for cron and monitors; not fine if there is anything. */
export async function check(call: CommandCall): Promise<number> {
  const { reads } = call.client;
  // Without this answer there is no gateway to check.
  const health = await reads.health();
  const [readiness, books] = await Promise.all([
    partOf(reads.healthReady()),
    health.terminal_status === 'connected'
      ? partOf(reads.reconcile())
      : { problem: `could not be read: the terminal is ${health.terminal_status}` },
  ]);
  const findings: Finding[] = [
    readyFinding(readiness),
    { what: 'settings', ok: health.missing_settings.length === 0, detail: missing(health) },
    auditFinding(health),
    ...health.limits.map(limitFinding),
    ...(health.notifications ?? []).map(alertsFinding),
    ...(health.signals ?? []).map(signalsFinding),
    ...('read' in books ? booksFindings(books.read) : unreadBooks(books.problem)),
  ];
  if (call.flags.json) printJson(call, findings);
  else
    call.out(
      table(
        ['CHECK', 'STATE', 'DETAIL'],
        findings.map(({ what, ok, detail }) => [what, ok === null ? 'UNKNOWN' : ok ? 'ok' : 'FAILED', detail]),
      ),
    );
  return findings.every(({ ok }) => ok === true) ? exitCodes.fine : exitCodes.attention;
}

function readyFinding(readiness: Part<ReadinessReport>): Finding {
  const what = 'ready';
  if ('problem' in readiness) return { what, ok: null, detail: readiness.problem };
  const down = downChecks(readiness.read);
  const detail = down.length === 0 ? 'all checks are up' : down.join(', ');
  return { what, ok: readiness.read.status === 'ready', detail };
}

function unreadBooks(detail: string): Finding[] {
  return ['outcomes', 'books'].map((what) => ({ what, ok: null, detail }));
}

function missing({ missing_settings: names }: HealthReport): string {
  return names.length === 0 ? 'complete' : `not set: ${names.join(', ')}`;
}

/** An earlier version does not say which lines of the log are missing. */
function auditFinding({ audit }: HealthReport): Finding {
  const problem = audit.error ?? audit.missing ?? null;
  return { what: 'audit log', ok: audit.state === 'ok' && problem === null, detail: problem ?? 'no line is missing' };
}

/** A limit that is reached denies entries. */
function limitFinding({ setting, symbol, value, limit }: HealthReport['limits'][number]): Finding {
  const detail = `${value ?? 'unknown'} of ${limit}`;
  return { what: symbol === null ? setting : `${setting} ${symbol}`, ok: value !== null && value < limit, detail };
}

/** A channel of alerts. Version 0.1.0 sent none, and no count of what was set aside. */
export function alertsFinding({
  name,
  state,
  waiting,
  set_aside: aside,
  last_error: error,
}: NotificationChannel): Finding {
  const detail = `${waiting} waiting, ${aside} set aside${error === null ? '' : `, last error ${error}`}`;
  return { what: `alerts ${name}`, ok: state === 'ok' && aside === 0, detail };
}

/** Whether the alerts of a source came and were executed. */
function signalsFinding({ name, waiting, unknown, problem }: SignalSourceReport): Finding {
  const detail = problem ?? `${waiting} waiting, ${unknown} of unknown outcome`;
  return { what: `signals ${name}`, ok: problem === null && unknown === 0, detail };
}

/** Whether the books of the broker agree with the journal. */
export function booksFindings({
  unresolved,
  differences,
}: Pick<Reconciliation, 'unresolved' | 'differences'>): Finding[] {
  // What may be the effect of a request of unknown outcome is counted with the outcomes; a tag without a request is of none.
  const decided = differences.filter(({ kind, intent_id }) => kind !== 'undecided' || intent_id === null);
  return [
    {
      what: 'outcomes',
      ok: unresolved.length === 0,
      detail: `${countText(unresolved.length, 'request has', 'requests have')} an unknown outcome`,
    },
    { what: 'books', ok: decided.length === 0, detail: `${countText(decided.length, 'difference')} from the journal` },
  ];
}
