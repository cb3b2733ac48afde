import {
  isBuyOrder,
  orderTypeName,
  retcodeName,
  TradeAction,
  type OrderSendResult,
  type TradeRequest,
} from '@libs/terminal-client';
import type { AuditEvent, AuditEventName, AuditFacts } from '../audit/audit-event';
import type { Caller } from '../audit/caller';
import type { IntentRecord, SettledOutcome, TradeRequestRecord } from './journal-records';
import { shortFingerprint } from './known-key';

/** The audit line of an intent, with the facts that outcome recovery needs if the journal lacks the intent. */
export function intentEvent(
  record: TradeRequestRecord,
  intentId: string,
  intent: Pick<IntentRecord, 'request' | 'positionId' | 'positionVolume' | 'serverTimeMsc' | 'by'>,
): AuditEvent {
  return {
    event: 'intent',
    ...requestFacts(record),
    intent_id: intentId,
    ...orderFacts(intent.request),
    position_id: intent.positionId || null,
    position_volume: intent.positionVolume || null,
    ...(intent.by ? { position_by_id: intent.by.positionId, position_by_volume: intent.by.positionVolume } : {}),
    server_time_msc: intent.serverTimeMsc,
    request_fingerprint: shortFingerprint(record.fingerprint),
  };
}

/** The event and the error type of each outcome. */
const eventOf: Record<SettledOutcome['kind'], readonly [event: AuditEventName, errorType: string | null]> = {
  not_sent: ['refused', 'terminal_unavailable'],
  done: ['broker_response', null],
  rejected: ['broker_response', 'broker_rejected'],
  unknown: ['unknown_outcome', 'unknown_outcome'],
  absent: ['refused', 'broker_rejected'],
};

/** The audit line of a send's outcome. */
export function outcomeEvent(
  record: TradeRequestRecord,
  intent: Pick<IntentRecord, 'id' | 'request'>,
  outcome: SettledOutcome,
  latencyMs: number | null,
): AuditEvent {
  const [event, errorType] = eventOf[outcome.kind];
  return {
    event,
    ...requestFacts(record),
    intent_id: intent.id,
    ...orderFacts(intent.request),
    ...('result' in outcome && outcome.result ? answerFacts(outcome.result) : {}),
    latency_ms: latencyMs === null ? null : Math.round(latencyMs * 1_000) / 1_000,
    error_type: errorType,
  };
}

/** The audit line of an unknown outcome that was recovered, or can no longer be recovered. */
export function resolvedEvent(record: TradeRequestRecord, intent: IntentRecord, outcome: SettledOutcome): AuditEvent {
  const event = outcomeEvent(record, intent, outcome, null);
  if (outcome.kind === 'unknown') return event;
  return outcome.kind === 'done' ? { ...event, event: 'recovered' } : { ...event, event: 'refused' };
}

/** The audit line of a send whose outcome an operator accepted as unknown. */
export function acceptedEvent(record: TradeRequestRecord, intent: IntentRecord, caller: Caller): AuditEvent {
  const facts = { ...requestFacts(record), ...caller, error_type: 'unknown_outcome' };
  return { event: 'outcome_accepted', ...facts, intent_id: intent.id, ...orderFacts(intent.request) };
}

function requestFacts(record: TradeRequestRecord): AuditFacts {
  const { requestId, traceId = null, keyRole = null, clientOrderId, route, login } = record;
  const facts = { request_id: requestId, trace_id: traceId, api_key: keyRole, client_order_id: clientOrderId, route };
  // An outcome can be found while another account is logged in, or none.
  return login ? { ...facts, login } : facts;
}

/** The terminal uses 0 and '' for "not in this request"; they become null here. */
function orderFacts(request: TradeRequest): AuditFacts {
  const hasSide = request.action === TradeAction.DEAL || request.action === TradeAction.PENDING;
  return {
    ticket: request.order || null,
    position: request.position || null,
    ...(request.position_by > 0 ? { position_by: request.position_by } : {}),
    symbol: request.symbol || null,
    side: hasSide ? (isBuyOrder(request.type) ? 'buy' : 'sell') : null,
    order_type: hasSide ? orderTypeName(request.type) : null,
    volume_requested: request.volume || null,
    price_requested: request.price || null,
    sl: request.sl || null,
    tp: request.tp || null,
    deviation: hasSide ? request.deviation : null,
    magic: hasSide ? request.magic : null,
    comment: request.comment || null,
  };
}

function answerFacts(result: OrderSendResult): AuditFacts {
  return {
    ...(result.order > 0 ? { ticket: result.order } : {}),
    deal: result.deal || null,
    volume_filled: result.deal > 0 ? result.volume : null,
    price_filled: result.deal > 0 ? result.price || null : null,
    retcode: result.retcode,
    retcode_name: retcodeName(result.retcode),
  };
}
