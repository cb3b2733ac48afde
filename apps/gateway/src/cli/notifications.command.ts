import { table, UsageError } from '@libs/command-line';
import type { SetAsideNotification } from '@libs/gateway-client';
import { printJson, type CommandCall } from './command';
import { reported } from './control.commands';
import { exitCodes } from './exit-codes';

/**
 * `gateway notifications`: the alerts that were set aside; not fine if there are any. With `retry` or `drop`, a channel and
 * perhaps an id, it sends those of the channel again or drops them.
 */
export async function notifications(call: CommandCall): Promise<number> {
  const [action, channel, id] = call.words;
  if (action !== undefined && action !== 'retry' && action !== 'drop') {
    throw new UsageError(`unknown argument ${action}: the command takes retry or drop`);
  }
  if (action !== undefined && channel === undefined) throw new UsageError(`notifications ${action} needs a channel`);
  const rows = await call.client.reads.setAsideNotifications();
  return action === undefined || channel === undefined ? listed(call, rows) : change(call, action, rows, channel, id);
}

function listed(call: CommandCall, rows: readonly SetAsideNotification[]): number {
  if (call.flags.json) printJson(call, rows);
  else if (rows.length === 0) call.out('no notifications are set aside');
  else {
    const cells = rows.map((row) => [row.channel, row.id, row.at, row.refused_at, row.reason, row.text]);
    call.out(table(['CHANNEL', 'ID', 'HAPPENED', 'SET ASIDE', 'REASON', 'TEXT'], cells));
  }
  return rows.length === 0 ? exitCodes.fine : exitCodes.attention;
}

/** Changes the messages that were just read, and none that is set aside in between. */
async function change(
  call: CommandCall,
  action: 'retry' | 'drop',
  rows: readonly SetAsideNotification[],
  channel: string,
  id: string | undefined,
): Promise<number> {
  const ofChannel = rows.filter((row) => row.channel === channel).map((row) => row.id);
  const ids = id === undefined ? ofChannel : [id];
  if (ids.length === 0 || !ids.every((one) => ofChannel.includes(one))) {
    call.err(`${id ?? 'no notification'} is ${id === undefined ? '' : 'not '}set aside on ${channel}`);
    return exitCodes.attention;
  }
  const { control } = call.client;
  const outcome = await (action === 'retry'
    ? control.retryNotifications(channel, ids)
    : control.dropNotifications(channel, ids));
  const code = reported(call, outcome);
  const left = outcome.kind === 'done' ? (outcome.body.not_set_aside ?? []) : [];
  if (left.length > 0) call.err(`not set aside any more: ${left.join(', ')}`);
  return left.length > 0 ? exitCodes.attention : code;
}
