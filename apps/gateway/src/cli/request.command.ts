import { table, UsageError } from '@libs/command-line';
import type { TradeRequestReport, UnresolvedRequest } from '@libs/gateway-client';
import { auditHistory, type AuditLine } from './audit-history';
import { readCommandSettings } from './cli.config';
import { printJson, type CommandCall } from './command';
import { exitCodes, partOf } from './exit-codes';
import { unresolvedTable } from './reconcile.command';

interface History {
  /** What the journal has; null if it has nothing under the key. */
  readonly request: TradeRequestReport | null;
  /** Its sends whose outcome is not known, or why they could not be read. */
  readonly unresolved: readonly UnresolvedRequest[] | { readonly problem: string };
  /** Its lines in the audit log; null if no log was named. */
  readonly audit: readonly AuditLine[] | null;
}

const open: ReadonlySet<string> = new Set(['in_progress', 'unknown']);

/** `gateway request KEY`: all that is known of a request; not fine if that is nothing, or its outcome is not known. */
export async function request(call: CommandCall): Promise<number> {
  const [key] = call.words;
  if (key === undefined) throw new UsageError('request needs an idempotency key');
  const history = await historyOf(call, key);
  if (call.flags.json) printJson(call, history);
  else call.out(historyText(key, history));
  const { request: report } = history;
  return report === null || open.has(report.status) ? exitCodes.attention : exitCodes.fine;
}

async function historyOf({ client, flags, env }: CommandCall, key: string): Promise<History> {
  const path = flags['audit-file'] ?? readCommandSettings(env).ORDER_AUDIT_FILE;
  const report = await client.reads.tradeRequest(key);
  const isOpen = report !== null && open.has(report.status);
  const books = isOpen ? await partOf(client.reads.reconcile()) : { read: { unresolved: [] } };
  return {
    request: report,
    unresolved: 'read' in books ? books.read.unresolved.filter((one) => one.client_order_id === key) : books,
    audit: path === undefined ? null : await auditHistory(path, key),
  };
}

function historyText(key: string, { request: report, unresolved, audit }: History): string {
  const sections = [
    report === null ? `the journal has no request under ${key}` : reportText(report),
    ...unresolvedTexts(unresolved),
    auditText(audit),
  ];
  return sections.join('\n\n');
}

function unresolvedTexts(unresolved: History['unresolved']): string[] {
  if ('problem' in unresolved) return [`its sends ${unresolved.problem}`];
  return unresolved.length === 0 ? [] : [unresolvedTable(unresolved)];
}

function reportText({
  key,
  route,
  status,
  created_at: at,
  trace_id: trace,
  response_status: code,
  response,
}: TradeRequestReport): string {
  const rows = [
    ['key', key],
    ['route', route],
    ['status', status],
    ['first used', at],
    ['trace', trace],
    ['answer', code === null ? null : `${code} ${JSON.stringify(response)}`],
  ];
  return table(['WHAT', 'STATE'], rows);
}

function auditText(audit: History['audit']): string {
  if (audit === null) return 'the audit log was not read: name it with --audit-file, on the machine of the gateway';
  if (audit.length === 0) return 'the audit log has no line of this key';
  const cells = audit.map((line) => [
    ...[line['timestamp'], line['sequence'], line['event'], line['api_key'], line['symbol'], line['side']],
    ...[text(line['volume_filled'] ?? line['volume_requested']), text(line['price_filled'] ?? line['price_requested'])],
    ...[line['ticket'], line['deal'], line['retcode_name'] ?? line['error_type']],
  ]);
  const headings = ['TIME', 'LINE', 'EVENT', 'KEY', 'SYMBOL', 'SIDE', 'VOLUME', 'PRICE', 'TICKET', 'DEAL', 'RESULT'];
  return table(headings, cells);
}

function text(value: unknown): string | null {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : null;
}
