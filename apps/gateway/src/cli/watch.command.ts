import {
  connectionText,
  differenceText,
  signalEventText,
  tradeEventText,
  type EventDigits,
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
  const { client, flags, signal, err } = call;
  const { magic } = flags;
  const { after, note } = beginningOf(flags.since, await client.reads.events({ limit: 1 }));
  if (note !== null) err(note);
  const digits = digitsReader(call);
  let wasConnected = false;
  for await (const message of client.streams.trades({
    signal,
    since: after,
    ...(magic === undefined ? {} : { magic }),
  })) {
    if (message.kind === 'connected' && !wasConnected) {
      wasConnected = true;
      err(`connected: following the trade events after #${after}`);
    } else print(call, message, message.kind === 'event' && !flags.json ? await digits(message.event) : {});
    if (!wasConnected) return exitCodes.noAnswer;
  }
  return exitCodes.fine;
}

/**
 * The number after which the events are followed. An event before the first of the log is not lost by that: the numbers of a log
 * begin at the time when it was made.
 */
function beginningOf(
  since: number | undefined,
  { first_seq: first, last_seq: last }: { readonly first_seq: number; readonly last_seq: number },
): { readonly after: number; readonly note: string | null } {
  if (since === undefined) return { after: last, note: null };
  if (since > last) return { after: last, note: `there is no event #${since}: the newest is #${last}` };
  if (since >= first - 1) return { after: since, note: null };
  const isEmpty = first > last;
  return {
    after: first - 1,
    note: isEmpty ? `the log has no events yet: the first will be #${first}` : `the log begins at #${first}`,
  };
}

/** Events go to stdout, one a line; what happens to the stream goes to stderr. */
function print({ flags, out, err }: CommandCall, message: Message, digits: EventDigits): void {
  if (message.kind === 'signal') {
    const { recorded_at: at, seq } = message.event;
    return out(flags.json ? JSON.stringify(message.event) : `${at}  #${seq}  ${signalEventText(message.event)}`);
  }
  if (message.kind !== 'event') return err(noteOf(message));
  out(flags.json ? JSON.stringify(message.event) : lineOf(message.event, digits));
}

/** Reads the digits of each symbol and of the currency once. A figure without them is better than none. */
function digitsReader({ client: { reads } }: CommandCall): (event: TradeEventRecord) => Promise<EventDigits> {
  const known = new Map<string, number>();
  const once = async (name: string, read: () => Promise<number>): Promise<number | undefined> => {
    if (!known.has(name))
      await read().then(
        (digits) => known.set(name, digits),
        () => undefined,
      );
    return known.get(name);
  };
  return async ({ symbol }) => ({
    price: symbol ? await once(`of ${symbol}`, async () => (await reads.symbolInfo(symbol)).digits) : undefined,
    money: await once('money', async () => (await reads.account()).currency_digits),
  });
}

function noteOf(message: Exclude<Message, { readonly kind: 'event' | 'signal' }>): string {
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

function lineOf(event: TradeEventRecord, digits: EventDigits): string {
  return `${event.recorded_at}  #${event.seq}  ${tradeEventText(event, digits)}`;
}
