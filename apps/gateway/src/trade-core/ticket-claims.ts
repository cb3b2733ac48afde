import { wasAlreadySo } from '@libs/order-drafts';
import type { StoredClaims } from './core-event';
import type { IntentRecord, TicketClaim, TradePurpose } from './journal-records';
import type { FreshClaim, LiveRequest, TicketAndClaim, TradeState } from './trade-state';

/** Few brokers acknowledge without a ticket; one that always does must not fill the memory. */
const mostUnnamed = 1_000;

/** Whether a send makes an order of its own; a modification or cancellation names an existing one. */
export function makesOrder(purpose: TradePurpose): boolean {
  return purpose !== 'cancel' && purpose !== 'modify_levels' && purpose !== 'modify_order';
}

/** The order that a send made, if known; null if it made none. */
export function claimedTicket({ purpose, outcome }: IntentRecord): number | null {
  return makesOrder(purpose) && outcome.kind === 'done' && outcome.result.order > 0 ? outcome.result.order : null;
}

/** The order by which the broker replaced a pending order that was changed; null if it kept it, or names none. */
export function successorOf({ purpose, outcome, request }: IntentRecord): number | null {
  if (purpose !== 'modify_order' || outcome.kind !== 'done') return null;
  const { order } = outcome.result;
  return order > 0 && order !== request.order ? order : null;
}

/** Whether the broker acknowledged a send that makes an order without naming it. */
export function lacksTicket({ purpose, outcome }: Pick<IntentRecord, 'purpose' | 'outcome'>): boolean {
  if (!makesOrder(purpose) || outcome.kind !== 'done' || outcome.result.order !== 0) return false;
  return !wasAlreadySo(purpose, outcome.result.retcode);
}

/** The tickets whose claims decide that of a send. */
export function ticketsOf(intent: IntentRecord): number[] {
  const tickets = [intent.request.order, claimedTicket(intent), successorOf(intent)];
  return tickets.filter((ticket): ticket is number => ticket !== null && ticket > 0);
}

/**
 * Claims the order of a settled send, at first in memory.
 * @param isShown whether its outcome was shown before
 */
export function claim(
  state: TradeState,
  request: LiveRequest,
  intent: IntentRecord,
  stored: StoredClaims,
  isShown: boolean,
): void {
  const claimed = claimBy(state, request, intent, new Map(stored));
  if (!claimed) return;
  const isKnown = knownClaim(state, claimed.ticket, new Map(stored)) !== undefined;
  request.claims.set(intent.id, claimed);
  state.claims.set(claimed.ticket, { claim: claimed.claim, isShown: isShown || isKnown });
  state.claimsRevision++;
}

/** Takes in that the outcome of a send is shown: its claim is as well, and no longer needed in memory once it is on disk. */
export function showClaim(state: TradeState, request: LiveRequest, intentId: string): void {
  const fresh = freshClaim(state, request, intentId);
  if (!fresh) return;
  fresh.isShown = true;
  dropWrittenClaim(state, request, intentId);
  state.claimsRevision++;
}

/** Takes in that a row of a send was written. */
export function dropWrittenClaim(state: TradeState, request: LiveRequest, intentId: string): void {
  const claimed = request.claims.get(intentId);
  if (!claimed || request.rows.has(intentId) || !freshClaim(state, request, intentId)?.isShown) return;
  state.claims.delete(claimed.ticket);
  state.claimsRevision++;
}

function freshClaim(state: TradeState, request: LiveRequest, intentId: string): FreshClaim | undefined {
  const claimed = request.claims.get(intentId);
  const fresh = claimed && state.claims.get(claimed.ticket);
  return fresh?.claim.intentId === intentId ? fresh : undefined;
}

/** Takes in the outcome of a send, with or without a ticket. */
export function noteTicket({ unnamed }: TradeState, intent: IntentRecord): void {
  unnamed.delete(intent.id);
  if (!lacksTicket(intent)) return;
  unnamed.set(intent.id, intent);
  const [oldest] = unnamed.keys();
  if (unnamed.size > mostUnnamed && oldest !== undefined) unnamed.delete(oldest);
}

/**
 * The order that belongs to a send: the one that it made, or the one by which the broker replaced the order that it changed. That one
 * belongs to the key of the first one, unless that is not known or the order has another request already.
 */
function claimBy(
  state: TradeState,
  { record: { clientOrderId } }: LiveRequest,
  intent: IntentRecord,
  stored: ReadonlyMap<number, TicketClaim>,
): TicketAndClaim | null {
  const { id: intentId, request } = intent;
  const made = claimedTicket(intent);
  if (made !== null) return { ticket: made, claim: { intentId, clientOrderId, magic: request.magic } };
  const ticket = successorOf(intent);
  const before = ticket === null ? undefined : knownClaim(state, request.order, stored);
  if (ticket === null || !before) return null;
  if ((knownClaim(state, ticket, stored) ?? { intentId }).intentId !== intentId) return null;
  const claim = { intentId, clientOrderId: before.clientOrderId, magic: before.magic ?? request.magic };
  return { ticket, claim };
}

function knownClaim(
  { claims, audited }: TradeState,
  ticket: number,
  stored: ReadonlyMap<number, TicketClaim>,
): TicketClaim | undefined {
  return claims.get(ticket)?.claim ?? stored.get(ticket) ?? audited.get(ticket);
}
