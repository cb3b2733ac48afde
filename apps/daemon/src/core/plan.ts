import type { TradeCall } from '@libs/gateway-client';
import type { IntentRecord, OwnedTicket, StrategyRecord } from './records';
import type { Intent } from './strategy-event';
import { closePath, entryCall, type IntentCall, type IntentTarget, ticketCall, ticketOf } from './intent-call';
import { entryDenied, type Circumstances, type Holdings } from './risk';
import type { StrategyBook } from './strategy-book';

/** An intent of a single request; a stack and a trailing stop have several. */
export type OrderIntent = Exclude<Intent, { action: 'stack' | 'trail' }>;

/** A request and its gateway. */
interface Planned {
  readonly broker: string;
  readonly call: TradeCall;
  readonly stream: string | null;
  readonly symbol: string | null;
  /** Ticket that it acts on, as in the books; null for an entry. */
  readonly ticket: number | null;
  readonly isEntry: boolean;
  /** The group of the order; absent without one. */
  readonly oco?: string;
  /** The tag of an entry; absent without one. */
  readonly tag?: string;
}

/** The request of an intent: its body belongs to its path. */
interface PlannedIntent extends Planned {
  readonly call: IntentCall;
}

/**
 * The request of an intent, or why the intent is denied.
 * @param circumstances of an entry on a stream that exists; they do not matter to anything else
 */
export function planOf(
  intent: OrderIntent,
  holdings: Holdings,
  circumstances: Circumstances | null,
): PlannedIntent | string {
  const { book, inFlight } = holdings;
  if (intent.action === 'enter') {
    const stream = book.spec.streams.find(({ alias }) => alias === intent.stream);
    if (!stream || circumstances === null) return `no stream ${intent.stream}`;
    const reason = entryDenied(intent.options.volume, stream.broker, holdings, circumstances);
    if (reason !== null) return reason;
    const { oco } = intent;
    const filled = filledFirst(book.record, oco);
    if (filled) return groupFilled(filled.ticket);
    const call = entryCall(stream, intent.side, intent.options, book.spec.magic);
    const { broker, alias, symbol } = stream;
    const { tag } = intent.options;
    const group = { ...(oco === undefined ? {} : { oco }), ...(tag === undefined ? {} : { tag }) };
    return { broker, call, stream: alias, symbol, ticket: null, isEntry: true, ...group };
  }
  const owned = targetOf(intent, book);
  if (typeof owned === 'string') return owned;
  // A halt cancels the pending orders: a change must not move one to the market before that.
  if (intent.action === 'modify' && book.record.halt !== null) return `halted: ${book.record.halt.reason}`;
  const { broker, stream, symbol, ticket } = owned;
  const isPart = intent.action === 'close' && intent.volume !== null;
  // A repeated partial close would close too much; closing the whole position cannot.
  if (isPart && inFlight.some((other) => isClose(other) && other.broker === broker && other.ticket === ticket)) {
    return `an earlier close of position ${ticket} is still in flight`;
  }
  if (isPart && owned.closeUnread === true) {
    return `an earlier close of position ${ticket} was executed, and its deals are not read yet`;
  }
  // The terminal uses the current ticket of a position, the books its first ticket.
  const call = ticketCall(intent, book.terminalTicket(broker, ticket));
  return { broker, stream, symbol, ticket, call, isEntry: false };
}

/** The ticket of the strategy that an intent refers to, or why there is none. */
export function targetOf(target: IntentTarget, book: StrategyBook): OwnedTicket | string {
  const number = ticketOf(target);
  const candidates = book.named(number).filter(({ broker }) => target.broker === null || target.broker === broker);
  const [owned, another] = candidates;
  if (!owned) return notOwned(number);
  if (!another) return owned;
  const brokers = candidates.map(({ broker }) => broker).join(' and ');
  return `ticket ${number} is open on ${brokers}: pass the position or order object instead of the number`;
}

/** Why an order of a group is denied of which another one has filled. */
export function groupFilled(ticket: number): string {
  return `order ${ticket} of the same group has filled`;
}

/** Why an action on a ticket is denied that the strategy does not own. */
export function notOwned(ticket: number): string {
  return `ticket ${ticket} is not open or not owned by this strategy`;
}

export function isClose({ call }: Pick<IntentRecord, 'call'>): boolean {
  return call.path === closePath;
}

/** A group of orders of which one has filled. */
type FilledOco = NonNullable<StrategyRecord['filledOco']>[number];

/** Groups without an order or a request that are remembered: an intent for one of them may still be carried out. */
const mostIdle = 20;

/** The first order of a group that filled; undefined while none has, and for an order without a group. */
export function filledFirst(
  { filledOco }: Pick<StrategyRecord, 'filledOco'>,
  group: string | undefined,
): FilledOco | undefined {
  return group === undefined ? undefined : filledOco?.find((filled) => filled.group === group);
}

/** Whether an order is to be cancelled because another one of its group has filled. */
export function isSuperseded(record: Pick<StrategyRecord, 'filledOco'>, { oco, broker, ticket }: OwnedTicket): boolean {
  const first = filledFirst(record, oco);
  return first !== undefined && !(first.broker === broker && first.ticket === ticket);
}

/** The filled groups after executions of orders; those that no order can belong to are forgotten. */
export function withExecuted({ book, inFlight }: Holdings, executed: readonly OwnedTicket[]): readonly FilledOco[] {
  const known = book.record.filledOco ?? [];
  const fresh: FilledOco[] = [];
  for (const { oco: group, broker, ticket } of executed) {
    if (group === undefined || [...known, ...fresh].some((filled) => filled.group === group)) continue;
    fresh.push({ group, broker, ticket });
  }
  const open = new Set([...book.openTickets, ...inFlight].map(({ oco }: OwnedTicket | IntentRecord) => oco));
  const idle = known.filter(({ group }) => !open.has(group)).slice(-mostIdle);
  return [...known.filter((filled) => open.has(filled.group) || idle.includes(filled)), ...fresh];
}
