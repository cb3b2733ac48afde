import type { ReloadReport } from '../runtime/reload-report';
import { longResultOf, printResult } from './leave-command';
import { argumentsOf, commands } from './commands';

/** `daemon reload`: has the running daemon take over its configuration file, as SIGHUP does, and prints what became of it. */
export async function reload(args: readonly string[]): Promise<number> {
  const { flags } = argumentsOf(commands.reload, args);
  const { ok, message } = await longResultOf({ command: 'reload' }, flags);
  const report = reportOf(message);
  if (report === null) printResult({ ok: false, message }, flags);
  else process.stdout.write(`${flags.json ? JSON.stringify(report, null, 2) : reloadText(report)}\n`);
  return ok ? 0 : 1;
}

/** Null for the text of an error. */
function reportOf(message: string): ReloadReport | null {
  try {
    return JSON.parse(message) as ReloadReport;
  } catch {
    return null;
  }
}

/** What a reload did, a line for each kind of change and for each problem. */
function reloadText({ outcome, added, removed, changed, problems }: ReloadReport): string {
  const named = { added, removed, changed };
  const changes = Object.entries(named).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what}: ${names.join(', ')}`],
  );
  const nothing = changes.length + problems.length === 0 ? ['nothing has changed'] : [];
  return [`configuration reloaded: ${outcome}`, ...changes, ...problems, ...nothing].join('\n');
}
