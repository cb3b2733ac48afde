import { table, UsageError } from '@libs/command-line';
import type { SignalRecord } from '@libs/gateway-client';
import { printJson, type CommandCall } from './command';
import { exitCodes } from './exit-codes';

/** `gateway signals`: the newest alerts and what became of each; not fine while a source has a problem. */
export async function signals(call: CommandCall): Promise<number> {
  const { source } = call.flags;
  const rows = await call.client.reads.signals(source === undefined ? {} : { source });
  const sources = (await call.client.reads.health()).signals ?? [];
  const ours = sources.filter(({ name }) => source === undefined || name === source);
  if (ours.length === 0 && rows.length === 0 && source !== undefined) {
    const known = sources.map(({ name }) => name).join(', ') || 'none';
    throw new UsageError(`no alert and no source is named ${source}; declared: ${known}`);
  }
  if (call.flags.json) printJson(call, { sources: ours, signals: rows });
  else call.out(rows.length === 0 ? 'no alerts' : table(head, rows.map(cells)));
  const problems = ours.filter(({ problem }) => problem !== null);
  for (const { name, problem } of problems) call.err(`${name}: ${problem}`);
  return problems.length === 0 ? exitCodes.fine : exitCodes.attention;
}

const head = ['NUMBER', 'SOURCE', 'RECEIVED', 'ALERT', 'STATE', 'REASON', 'REQUESTS'];

function cells({ number, source, received_at: at, alert, state, reason, requests }: SignalRecord): string[] {
  const made = requests.map((one) => one.text ?? `${one.request}: ${one.state ?? 'not tried yet'}`);
  return [String(number), source, at, alert, state, reason ?? '', made.join('; ')];
}
