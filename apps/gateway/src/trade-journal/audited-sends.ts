import {
  orderTypeName,
  OrderType,
  Retcode,
  TradeAction,
  tradeRequest,
  type OrderSendResult,
  type TradeRequest,
} from '@libs/terminal-client';
import type { AuditLines } from '../audit/audit-lines';
import { auditedFences } from '../fences/audited-fences';
import type { WantedFence } from '../fences/fence';
import type { IntentOutcome, IntentRecord, TicketClaim, TradePurpose, TradeRequestRecord } from './journal-records';
import { claimedTicket } from './journal-writer';
import { lineAges } from './line-ages';
import { unknownFingerprint } from './remembered-key';

/** A trade request whose sends are recorded only in the audit log. */
export interface AuditedRequest {
  readonly record: TradeRequestRecord;
  readonly intents: readonly IntentRecord[];
}

type Line = AuditLines[number];

/** The journal keeps an intent for 35 days of running time; an older one may be missing because it expired. */
const intentAgeMs = 30 * 86_400_000;

/** Sends and void keys in the last lines of the audit log. */
export interface AuditedSends {
  /**
   * The sends of the last 30 days of running time that are not in the journal: exits made while it could not be written, and sends of
   * another journal, which was lost. Sends that never left the gateway are excluded.
   */
  readonly requests: readonly AuditedRequest[];
  /** The send that made an order, by the order's ticket; of every journal, because claims are lost with a journal. */
  readonly claims: ReadonlyMap<number, TicketClaim>;
  /** The outcomes of sends by intent id; the journal lacks those that it could not write before a crash. */
  readonly outcomes: ReadonlyMap<string, IntentOutcome>;
  /** Keys made void in the last 30 days, with the time in UTC milliseconds; voids are lost with a journal. */
  readonly voids: ReadonlyMap<string, number>;
  /** Fences by name; fences are lost with a journal. */
  readonly fences: ReadonlyMap<string, WantedFence>;
}

/** The result for a log without lines. */
export const nothingAudited: AuditedSends = {
  requests: [],
  claims: new Map(),
  outcomes: new Map(),
  voids: new Map(),
  fences: new Map(),
};

/**
 * @param lines newest first
 * @param journal the current journal; lines without a journal id come from an unproven one
 */
export function auditedSends(
  lines: AuditLines,
  journal: { readonly id: string; readonly knows: (intentId: string) => boolean },
  nowMs: number,
): AuditedSends {
  const outcomes = new Map<string, IntentOutcome>();
  const requests = new Map<string, { record: TradeRequestRecord; intents: IntentRecord[] }>();
  const claims = new Map<number, TicketClaim>();
  const voids = new Map<string, number>();
  const ages = lineAges(lines, nowMs);
  /** Outcomes whose intent has no line so far. */
  const answers = new Map<string, { readonly line: Line; readonly isRecent: boolean }>();
  const takeUp = (line: Line, intent: IntentRecord, isRecent: boolean): void => {
    const ticket = claimedTicket(intent);
    if (ticket !== null) claims.set(ticket, { intentId: intent.id, clientOrderId: text(line.client_order_id) });
    const isOurs = line.journal_id === journal.id || line.journal_id === null;
    if (!isRecent || journal.knows(intent.id)) return;
    if (intent.outcome.kind === 'not_sent') return;
    const requestId = requestIdOf(intent.id);
    const request = requests.get(requestId) ?? { record: recordOf(line, requestId), intents: [] };
    request.intents.unshift(isOurs ? intent : { ...intent, ofLostJournal: true });
    requests.set(requestId, request);
  };
  for (const [index, line] of lines.entries()) {
    const isRecent = (ages[index] ?? 0) < intentAgeMs;
    const id = text(line.intent_id);
    if (id === null) {
      const key = line.event === 'voided' ? text(line.client_order_id) : null;
      if (key !== null && isRecent) voids.set(key, timeOf(line));
      continue;
    }
    if (line.event !== 'intent') {
      const outcome = outcomes.has(id) ? null : outcomeOf(line);
      if (outcome) outcomes.set(id, outcome);
      if (outcome?.kind === 'done') answers.set(id, { line, isRecent });
      continue;
    }
    answers.delete(id);
    takeUp(line, intentOf(line, id, outcomes.get(id) ?? { kind: 'pending' }), isRecent);
  }
  // A full disk may have taken no line of an exit's intent: its order and its key are those of the answer.
  for (const [id, { line, isRecent }] of answers) {
    const outcome = outcomes.get(id);
    if (outcome) takeUp(line, intentOf(line, id, outcome), isRecent);
  }
  return { requests: [...requests.values()].reverse(), claims, outcomes, voids, fences: auditedFences(lines) };
}

function recordOf(line: Line, id: string): TradeRequestRecord {
  const clientOrderId = text(line.client_order_id);
  const route = text(line.route) ?? '';
  const [method = '', path = ''] = route.split(' ');
  return {
    ...{ id, key: clientOrderId ?? `§${id}`, clientOrderId, requestId: text(line.request_id) ?? id },
    ...(text(line.trace_id) === null ? {} : { traceId: text(line.trace_id) ?? '' }),
    ...{ method, path, route, fingerprint: text(line.request_fingerprint) ?? unknownFingerprint },
    ...{ status: 'in_progress', createdAtMs: timeOf(line), settledAtMs: null, responseStatus: null, response: null },
  };
}

function intentOf(line: Line, id: string, outcome: IntentOutcome): IntentRecord {
  const serverTimeMsc = line.server_time_msc;
  const purpose = purposeOf(line);
  const isLookable = typeof serverTimeMsc === 'number';
  return {
    id,
    key: text(line.client_order_id) ?? `§${requestIdOf(id)}`,
    purpose,
    request: requestOf(line, purpose),
    serverTimeMsc: isLookable ? serverTimeMsc : 0,
    positionId: number(line.position_id),
    positionVolume: number(line.position_volume),
    createdAtMs: timeOf(line),
    outcome: isLookable || outcome.kind !== 'pending' ? outcome : notLookable,
  };
}

const notLookable: Extract<IntentOutcome, { kind: 'unknown' }> = {
  kind: 'unknown',
  reason: 'its line in the audit log has no server time',
  ...{ result: null, lastError: null, undecidable: true },
};

function purposeOf(line: Line): TradePurpose {
  const route = text(line.route) ?? '';
  if (line.side === null) {
    if (route.startsWith('PUT ')) return 'modify_order';
    return number(line.position) > 0 ? 'modify_levels' : 'cancel';
  }
  const isMarket = line.order_type === 'BUY' || line.order_type === 'SELL';
  if (number(line.position) === 0) return isMarket ? 'open' : 'place_pending';
  return number(line.volume_requested) < number(line.position_volume) ? 'close_partial' : 'close';
}

const actionOf: Record<TradePurpose, TradeAction> = {
  open: TradeAction.DEAL,
  close: TradeAction.DEAL,
  close_partial: TradeAction.DEAL,
  place_pending: TradeAction.PENDING,
  modify_levels: TradeAction.SLTP,
  modify_order: TradeAction.MODIFY,
  cancel: TradeAction.REMOVE,
};

function requestOf(line: Line, purpose: TradePurpose): TradeRequest {
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
    comment: text(line.comment) ?? '',
  });
}

/** The outcome of an intent according to a line; null if the line has none. */
function outcomeOf(line: Line): IntentOutcome | null {
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
      return {
        kind: 'unknown',
        reason: 'the gateway stopped before the outcome was known',
        result: null,
        lastError: null,
      };
    case 'outcome_accepted':
      return { ...notLookable, reason: 'an operator accepted that the outcome stays unknown' };
    default:
      return null;
  }
}

function resultOf(line: Line): OrderSendResult {
  return {
    ...{ retcode: number(line.retcode) || Retcode.DONE, deal: number(line.deal), order: number(line.ticket) },
    ...{ volume: number(line.volume_filled), price: number(line.price_filled), bid: 0, ask: 0, comment: '' },
    ...{ request_id: 0, retcode_external: 0 },
  };
}

function requestIdOf(intentId: string): string {
  return intentId.slice(0, intentId.lastIndexOf('/'));
}

function timeOf(line: Line): number {
  return Date.parse(text(line.timestamp) ?? '');
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
