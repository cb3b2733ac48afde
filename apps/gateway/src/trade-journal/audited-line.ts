import {
  orderTypeName,
  OrderType,
  Retcode,
  sendResult,
  TradeAction,
  tradeRequest,
  type OrderSendResult,
  type TradeRequest,
} from '@libs/terminal-client';
import type { AuditLines } from '../audit/audit-lines';
import { keyRoles } from '../audit/caller';
import {
  keyOfNameless,
  requestIdOf,
  unanswered,
  unknownBecause,
  type IntentOutcome,
  type IntentRecord,
  type OppositePosition,
  type TradePurpose,
  type TradeRequestRecord,
} from '../trade-core/journal-records';
import { unknownFingerprint } from '../trade-core/known-key';

/** A line of the audit log. */
export type AuditedLine = AuditLines[number];

/** The trade request of a line. @param id of the request, as journals number them */
export function recordOf(line: AuditedLine, id: string): TradeRequestRecord {
  const clientOrderId = text(line.client_order_id);
  const route = text(line.route) ?? '';
  const [method = '', path = ''] = route.split(' ');
  return {
    id,
    key: clientOrderId ?? keyOfNameless(id),
    clientOrderId,
    requestId: text(line.request_id) ?? id,
    ...(text(line.trace_id) === null ? {} : { traceId: text(line.trace_id) ?? '' }),
    keyRole: keyRoles.find((role) => role === line.api_key) ?? null,
    login: number(line.login) || null,
    method,
    path,
    route,
    fingerprint: text(line.request_fingerprint) ?? unknownFingerprint,
    ...unanswered(timeOf(line)),
  };
}

/** A send as the line of its intent has it. */
export function intentOf(line: AuditedLine, id: string, outcome: IntentOutcome): IntentRecord {
  const serverTimeMsc = line.server_time_msc;
  const purpose = purposeOf(line);
  const isLookable = typeof serverTimeMsc === 'number';
  return {
    id,
    key: text(line.client_order_id) ?? keyOfNameless(requestIdOf(id)),
    purpose,
    request: requestOf(line, purpose),
    serverTimeMsc: isLookable ? serverTimeMsc : 0,
    positionId: number(line.position_id),
    positionVolume: number(line.position_volume),
    ...(purpose === 'close_by' ? { by: oppositeOf(line) } : {}),
    createdAtMs: timeOf(line),
    outcome: isLookable || outcome.kind !== 'pending' ? outcome : notLookable,
  };
}

/** Its magic is in no line, and no longer needed: the request was sent. */
function oppositeOf(line: AuditedLine): OppositePosition {
  const { position_by_id: id, position_by_volume: volume } = line;
  return { positionId: number(id), positionVolume: number(volume), magic: 0 };
}

const notLookable = {
  ...unknownBecause('its line in the audit log has no server time'),
  undecidable: true,
} as const;

function purposeOf(line: AuditedLine): TradePurpose {
  const route = text(line.route) ?? '';
  if (line.side === null) {
    if (number(line.position_by) > 0) return 'close_by';
    if (number(line.position) > 0) return 'modify_levels';
    // Only a change has a price.
    return route.startsWith('PUT ') || number(line.price_requested) > 0 ? 'modify_order' : 'cancel';
  }
  const isMarket = line.order_type === 'BUY' || line.order_type === 'SELL';
  if (number(line.position) === 0) return isMarket ? 'open' : 'place_pending';
  return number(line.volume_requested) < number(line.position_volume) ? 'close_partial' : 'close';
}

const actionOf: Record<TradePurpose, TradeAction> = {
  open: TradeAction.DEAL,
  close: TradeAction.DEAL,
  close_partial: TradeAction.DEAL,
  close_by: TradeAction.CLOSE_BY,
  place_pending: TradeAction.PENDING,
  modify_levels: TradeAction.SLTP,
  modify_order: TradeAction.MODIFY,
  cancel: TradeAction.REMOVE,
};

function requestOf(line: AuditedLine, purpose: TradePurpose): TradeRequest {
  return tradeRequest({
    action: actionOf[purpose],
    symbol: text(line.symbol) ?? '',
    volume: number(line.volume_requested),
    type: Object.values(OrderType).find((type) => orderTypeName(type) === line.order_type) ?? OrderType.BUY,
    price: number(line.price_requested),
    sl: number(line.sl),
    tp: number(line.tp),
    deviation: number(line.deviation),
    magic: number(line.magic),
    order: number(line.ticket),
    position: number(line.position),
    position_by: number(line.position_by),
    comment: text(line.comment) ?? '',
  });
}

/** The outcome of an intent according to a line; null if the line has none. */
export function outcomeOf(line: AuditedLine): IntentOutcome | null {
  switch (line.event) {
    case 'broker_response':
      return line.error_type === 'broker_rejected'
        ? { kind: 'rejected', result: typeof line.retcode === 'number' ? resultOf(line) : null, lastError: null }
        : { kind: 'done', result: resultOf(line), source: 'answer' };
    case 'recovered':
      return { kind: 'done', result: resultOf(line), source: 'lookup' };
    case 'refused':
      return line.error_type === 'broker_rejected'
        ? { kind: 'absent' }
        : { kind: 'not_sent', reason: text(line.error_type) ?? 'refused', lastError: null };
    case 'unknown_outcome':
      return unknownBecause('the gateway stopped before the outcome was known');
    case 'outcome_accepted':
      return { ...notLookable, reason: 'an operator accepted that the outcome stays unknown' };
    default:
      return null;
  }
}

function resultOf(line: AuditedLine): OrderSendResult {
  return sendResult({
    retcode: number(line.retcode) || Retcode.DONE,
    deal: number(line.deal),
    order: number(line.ticket),
    volume: number(line.volume_filled),
    price: number(line.price_filled),
  });
}

/** UTC milliseconds; NaN if the line has no time. */
export function timeOf(line: AuditedLine): number {
  return Date.parse(text(line.timestamp) ?? '');
}

/** The value of a member that is a text; null for any other. */
export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
