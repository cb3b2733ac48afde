import type { TradeCall } from '@libs/gateway-client';
import type { Stream } from '@libs/strategy';
import type { IntentRecord, OwnedTicket } from '../state/records';
import type { Intent } from '../strategies/worker/messages';
import { closePath, entryCall, ticketCall, ticketOf } from './intent-call';
import type { StrategyBook } from './strategy-book';

/** An intent of one order; a stack is many. */
export type OrderIntent = Exclude<Intent, { action: 'stack' }>;

/** What will be asked of which gateway. */
export interface Planned {
  readonly broker: string;
  readonly call: TradeCall;
  readonly stream: string | null;
  readonly symbol: string | null;
  /** Ticket it acts on, as the books know it; null for an entry. */
  readonly ticket: number | null;
  readonly isEntry: boolean;
}

/** What an intent asks for, or why it is denied. */
export function planOf(
  intent: OrderIntent,
  book: StrategyBook,
  onTheWay: readonly IntentRecord[],
  denied: (stream: Stream, volume: number) => string | null,
): Planned | string {
  if (intent.action === 'enter') {
    const stream = book.spec.streams.find(({ alias }) => alias === intent.stream);
    if (!stream) return `no stream ${intent.stream}`;
    const reason = denied(stream, intent.options.volume);
    if (reason !== null) return reason;
    const call = entryCall(stream, intent.side, intent.options, book.spec.magic);
    return { broker: stream.broker, call, stream: stream.alias, symbol: stream.symbol, ticket: null, isEntry: true };
  }
  const owned = targetOf(intent, book);
  if (typeof owned === 'string') return owned;
  const { broker, stream, symbol, ticket } = owned;
  const isPart = intent.action === 'close' && intent.volume !== null;
  // Twice a part would be more than was wanted; closing the whole of what is there cannot be too much.
  if (isPart && onTheWay.some((other) => isClose(other) && other.broker === broker && other.ticket === ticket)) {
    return `an earlier close of position ${ticket} is not settled yet`;
  }
  // The terminal goes by the ticket a position has come to have, the books by the one it began with.
  const call = ticketCall(intent, book.positionRow(broker, ticket)?.ticket ?? ticket);
  return { broker, stream, symbol, ticket, call, isEntry: false };
}

/** The one ticket of the strategy's that an intent means, or why there is none. */
export function targetOf(intent: Exclude<OrderIntent, { action: 'enter' }>, book: StrategyBook): OwnedTicket | string {
  const number = ticketOf(intent);
  const candidates = book.named(number).filter(({ broker }) => intent.broker === null || intent.broker === broker);
  const [owned, another] = candidates;
  if (!owned) return `ticket ${number} is not open, or not this strategy's`;
  if (!another) return owned;
  const brokers = candidates.map(({ broker }) => broker).join(' and ');
  return `ticket ${number} is open on ${brokers}: say which by the position or order itself`;
}

export function isClose({ call }: Pick<IntentRecord, 'call'>): boolean {
  return call.path === closePath;
}
