import { table } from '@libs/command-line';
import type { KillAnswer, TradeOutcome } from '@libs/gateway-client';
import { printJson, type CommandCall } from './command';
import { codeOfStatus, exitCodes } from './exit-codes';

type Flattened = NonNullable<KillAnswer['flatten']>;

/** `gateway kill`: halts trading; with `--flatten` also cancels every order and closes every position. */
export async function kill(call: CommandCall): Promise<number> {
  const outcome = await call.client.control.kill({ flatten: call.flags.flatten === true });
  const code = reported(call, outcome);
  const flatten = outcome.kind === 'done' ? outcome.body.flatten : null;
  if (!flatten) return code;
  if (!call.flags.json) call.out(flattenText(flatten));
  return flatten.complete ? code : exitCodes.attention;
}

/** `gateway release`: trading resumes. */
export async function release(call: CommandCall): Promise<number> {
  return reported(call, await call.client.control.release());
}

/** Prints an outcome and returns its exit code. */
export function reported(call: CommandCall, outcome: TradeOutcome<Pick<KillAnswer, 'message' | 'audited'>>): number {
  if (call.flags.json) printJson(call, outcome);
  if (outcome.kind === 'done') {
    if (!call.flags.json) call.out(outcome.body.message ?? 'done');
    if (outcome.body.audited === false) call.err('the audit log cannot be written and does not record this');
    return exitCodes.fine;
  }
  if (call.flags.json) return codeOfStatus(outcome.status);
  const isSilent = outcome.kind === 'unknown' && outcome.status === null;
  if (isSilent && outcome.unsent === true) call.err(`${outcome.reason}: no gateway listens there, so nothing was done`);
  else if (isSilent) call.err(`${outcome.reason}; it may have taken effect: see gateway status`);
  else call.err(outcome.kind === 'unknown' ? outcome.reason : outcome.error);
  return codeOfStatus(outcome.status);
}

function flattenText({ cancelled, closed, failed, unknown }: Flattened): string {
  const left = [...failed, ...unknown];
  const counts = `cancelled ${cancelled.length}, closed ${closed.length}, not done ${left.length}`;
  if (left.length === 0) return counts;
  const cells = left.map((item) => [item.kind, item.ticket, item.symbol, item.error_type, item.error]);
  return `${counts}\n\n${table(['KIND', 'TICKET', 'SYMBOL', 'TYPE', 'PROBLEM'], cells)}`;
}
