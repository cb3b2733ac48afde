import {
  connectionText,
  differenceText,
  tradeEventText,
  type StreamMessage,
  type TradeEventRecord,
} from '@libs/gateway-client';
import type { CommandCall } from './command';
import { exitCodes } from './exit-codes';

type Message = StreamMessage<TradeEventRecord>;

/**
 * `gateway watch`: follows the trade events until Ctrl-C, over broken connections and restarts of the gateway. A gateway that
 * does not answer at first ends it.
 */
export async function watch(call: CommandCall): Promise<number> {
  const { client, flags, signal } = call;
  const { since, magic } = flags;
  const options = {
    signal,
    ...(since === undefined ? {} : { since }),
    ...(magic === undefined ? {} : { magic }),
  };
  let wasConnected = false;
  for await (const message of client.streams.trades(options)) {
    if (message.kind === 'connected') wasConnected = true;
    print(call, message);
    if (!wasConnected) return exitCodes.noAnswer;
  }
  return exitCodes.fine;
}

/** Events go to stdout, one a line; what happens to the stream goes to stderr. */
function print({ flags, out, err }: CommandCall, message: Message): void {
  if (message.kind !== 'event') return err(noteOf(message));
  out(flags.json ? JSON.stringify(message.event) : lineOf(message.event));
}

function noteOf(message: Exclude<Message, { readonly kind: 'event' }>): string {
  switch (message.kind) {
    case 'connected':
      return 'connected: following the trade events';
    case 'disconnected':
      return `disconnected: ${message.reason}`;
    case 'resync':
      return `events are lost (${message.reason}): see gateway positions and gateway orders`;
    case 'terminal':
      return connectionText(message);
    case 'difference':
      return differenceText(message.difference);
  }
}

function lineOf(event: TradeEventRecord): string {
  return `${event.recorded_at}  #${event.seq}  ${tradeEventText(event)}`;
}
