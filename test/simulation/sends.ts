import { TradeAction, type TradeRequest } from '@libs/terminal-client';

/**
 * What really became of a send, whatever its sender was answered: `in transit` until the terminal takes it up, `lost` when it
 * never gets there, `dropped` when it waited longer than its sender did. The broker then does it or does not.
 */
export type SendFate = 'in transit' | 'lost' | 'dropped' | 'done' | 'not done';

/** One `orderSend` of a gateway, as the world sees it. */
export interface SendRecord {
  readonly number: number;
  /** Which run of the gateway sent it. */
  readonly run: number;
  readonly intentId: string;
  /** Virtual milliseconds since the start. */
  readonly atMs: number;
  readonly request: TradeRequest;
  readonly marker: string;
  fate: SendFate;
  /** What the broker answered; null before, or when it was not asked. */
  retcode: number | null;
  /** The terminal refused it and did not ask the broker: it does not count against a limit. */
  isRefused: boolean;
  /** No disk of the gateway has it, and the run that knew it has ended: it may be sent once more. */
  isForgotten: boolean;
  /** Lots that it may add to what is open, seen from the broker's books when it was sent; 0 for an exit. */
  readonly addedLots: number;
  /** What stood before it at the broker when it was sent; null when it changes nothing that stands. */
  readonly standing: Standing | null;
  /** What stood at the broker when it acted on it; null before, and when it changes nothing that stands. */
  replaced: Standing | null;
  /** When the broker acted on it, and when the gateway got its answer or gave up; null before. */
  executedAtMs: number | null;
  answeredAtMs: number | null;
  /** The account that the terminal was logged in to when the broker was asked. */
  login: number | null;
}

/** What stands at the broker of a position or an order before it is changed. */
export interface Standing {
  readonly sl: number;
  readonly tp: number;
  /** Of an order: where it rests. */
  readonly price?: number;
  /** Of an order: its ORDER_TIME_*, and when it expires, in server seconds. */
  readonly expiration?: { readonly time: number; readonly seconds: number };
  /** Of a position: whether it is long. */
  readonly isLong?: boolean;
}

/**
 * How a send shows at the broker, in words that no two wishes of clients share.
 * @param changeBy the marker of the wish to change this position or order
 */
export function markerOf(request: TradeRequest, changeBy: (request: TradeRequest) => string | null): string {
  const { action, position, order, magic, comment } = request;
  switch (action) {
    case TradeAction.DEAL:
      return position === 0 ? openMarker(magic, comment) : closeMarker(position, comment);
    case TradeAction.PENDING:
      return openMarker(magic, comment);
    case TradeAction.SLTP:
    case TradeAction.MODIFY:
      return changeBy(request) ?? `change ${position || order} that no client asked for`;
    default:
      return cancelMarker(order);
  }
}

export function openMarker(magic: number, comment: string): string {
  return `open ${magic} ${comment}`;
}

export function closeMarker(position: number, comment: string): string {
  return `close ${position} ${comment}`;
}

/** @param number of the wish */
export function changeMarker(ticket: number, number: number): string {
  return `change ${ticket} ${number}`;
}

export function cancelMarker(order: number): string {
  return `cancel ${order}`;
}

/** Whether a send adds to what the account can lose. */
export function isEntry({ action, position }: TradeRequest): boolean {
  return action === TradeAction.PENDING || (action === TradeAction.DEAL && position === 0);
}

/** Whether a flattening may send it: it closes positions and cancels orders, and does nothing else. */
export function mayFlatten({ action, position }: TradeRequest): boolean {
  return action === TradeAction.REMOVE || (action === TradeAction.DEAL && position !== 0);
}

/** A send that the broker did, or may still do. */
export function mayBeDone({ fate }: SendRecord): boolean {
  return fate === 'done' || fate === 'in transit';
}
