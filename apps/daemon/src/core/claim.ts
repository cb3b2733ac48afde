import type { OrderAnswer } from '@libs/gateway-client';
import type { IntentRecord, OwnedTicket } from './records';
import { isWorking, openVolume } from './deal-booking';
import type { IntentLife } from './intent-life';
import { isClose } from './plan';
import { changedExpiresMs, expiresMsOf, stopOf } from './intent-call';

/** The ticket of an entry, before any of its deals is booked. */
export function claimOf(
  record: IntentRecord,
  ticket: number,
  state: OrderAnswer['state'],
  keepsStop: boolean,
): OwnedTicket {
  const expiresMs = expiresMsOf(record.call);
  return {
    strategy: record.strategy,
    broker: record.broker,
    ticket,
    stream: record.stream ?? '',
    symbol: record.symbol ?? '',
    intentId: record.intentId,
    deals: [],
    volumeIn: '0',
    volumeOut: '0',
    // An order filled in full has ended; of any other the rest may still wait.
    working: state !== 'executed',
    ...(expiresMs === null ? {} : { expiresMs }),
    ...(record.oco === undefined ? {} : { oco: record.oco }),
    ...(record.tag === undefined ? {} : { tag: record.tag }),
    ...(keepsStop ? { stop: { sl: stopOf(record.call) ?? 0, isSeen: false } } : {}),
    closed: false,
  };
}

/** The ticket with the stop-loss that an executed request gave to it; null if the request did not change it. */
export function withStop(owned: OwnedTicket | null, { call, isEntry }: IntentRecord): OwnedTicket | null {
  const sl = isEntry ? undefined : stopOf(call);
  if (owned === null || sl === undefined) return null;
  // A stop-loss that was set again is the same one until the account shows it in place.
  const { stop } = owned;
  return stop?.sl === sl ? owned : { ...owned, stop: { sl, isSeen: false } };
}

/** The ticket with the expiration that an executed request gave to its order; null if the request did not change it. */
export function withExpiry(owned: OwnedTicket | null, { call }: IntentRecord): OwnedTicket | null {
  const changed = changedExpiresMs(call);
  if (owned === null || changed === undefined) return null;
  const { expiresMs: _, ...rest } = owned;
  return changed === null ? rest : { ...rest, expiresMs: changed };
}

/**
 * The ticket as of an executed close of it, until the deals of that are booked; null if they are, or if the request is none. Another
 * start of the daemon must not close it again before the account was read.
 */
export function withUnreadClose(
  owned: OwnedTicket | null,
  { record, volumeBefore }: Pick<IntentLife, 'record' | 'volumeBefore'>,
  { result }: OrderAnswer,
): OwnedTicket | null {
  if (owned === null || !isClose(record)) return null;
  const isBooked = result?.deal
    ? owned.deals.includes(result.deal)
    : volumeBefore !== null && openVolume(owned).toString() !== volumeBefore;
  return isBooked ? null : { ...owned, closeUnread: true };
}

/**
 * Whether an entry's ticket has been claimed before. An outcome may be recovered a second time if the state has the ticket
 * but not the outcome. Another claim would book every deal of the ticket again.
 * @param remembered the ticket that the state has under this number
 */
export function isClaimed({ intentId }: IntentRecord, remembered: OwnedTicket | null): boolean {
  if (remembered === null) return false;
  // A ticket of another intent belongs to an earlier account of the gateway; an adopted ticket has no intent.
  return remembered.intentId === null || remembered.intentId === intentId;
}

/**
 * The tickets of an order that the broker replaced by another one when it was changed: what is left of it, and the new one, which waits
 * in its place. Empty if it kept its ticket.
 */
export function replacedBy(
  owned: OwnedTicket | null,
  { call, ticket }: IntentRecord,
  order: number | null,
): readonly OwnedTicket[] {
  if (call.method !== 'PUT' || owned === null || order === null || order === ticket || !isWorking(owned)) return [];
  const successor = { ...owned, ticket: order, deals: [], volumeIn: '0', volumeOut: '0' };
  return [{ ...owned, working: false, closed: openVolume(owned).lte(0) }, successor];
}
