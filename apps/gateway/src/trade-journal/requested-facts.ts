import type { ApiError } from '@libs/envelope';
import { OrderType, orderTypeName, TradeAction } from '@libs/terminal-client';
import type { AuditFacts } from '../audit/audit-event';

const symbolLength = 64;
const wordLength = 32;
const commentLength = 31;
const listLength = 256;

/**
 * Extracts the parameters of a trade request for the audit log. The body may be anything: a field of a wrong type
 * becomes null, and texts are cut and made printable.
 * @param orderTicket `ticket` of the path, as text
 */
export function requestedFacts(body: unknown, orderTicket: string | undefined): AuditFacts {
  const fields = fieldsOf(body);
  const orderType = text(fields.type, wordLength)?.toUpperCase() ?? typeByNumber(fields);
  const position = fieldsOf(fields.position);
  return {
    ticket: orderTicket === undefined ? number(fields.order) || null : number(Number(orderTicket)),
    position: number(fields.position) ?? number(position.ticket) ?? number(fields.ticket),
    symbol: text(fields.symbol, symbolLength),
    side: sideOf(orderType),
    order_type: orderType,
    volume_requested: number(fields.volume) ?? number(position.volume),
    price_requested: number(fields.price),
    sl: number(fields.sl),
    tp: number(fields.tp),
    deviation: number(fields.deviation),
    magic: number(fields.magic),
    comment: text(fields.comment, commentLength),
  };
}

/** The order type of a request in the terminal's numbers, of the actions that have one. */
function typeByNumber({ action, type = OrderType.BUY }: Readonly<Record<string, unknown>>): string | null {
  const hasType = action === TradeAction.DEAL || action === TradeAction.PENDING;
  return hasType && typeof type === 'number' ? orderTypeName(type) : null;
}

/** The limit that refused a request and the value that exceeded it, if the error contains them. */
export function limitFacts({ details }: ApiError): AuditFacts {
  const { setting, limit, value } = fieldsOf(Array.isArray(details) ? (details as unknown[])[0] : details);
  return { setting: text(setting, wordLength), limit: numberOrText(limit), value: numberOrText(value) };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function text(value: unknown, length: number): string | null {
  return typeof value === 'string' ? value.slice(0, length).replace(/[^\x20-\x7e]/g, '?') : null;
}

/** Formats a whitelist as text; omits a limit of several numbers, such as a volume grid. */
function numberOrText(value: unknown): number | string | null {
  return number(value) ?? text(Array.isArray(value) ? value.join(',') : value, listLength);
}

function sideOf(orderType: string | null): 'buy' | 'sell' | null {
  if (orderType === null) return null;
  if (/^BUY(_|$)/.test(orderType)) return 'buy';
  return /^SELL(_|$)/.test(orderType) ? 'sell' : null;
}
