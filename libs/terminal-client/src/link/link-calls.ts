import { LastErrorCode, TerminalUnavailableError } from '../last-error';
import { sealRequest } from '../sealing';
import type { Credentials, HistoryQuery, ListFilter, TerminalClient } from '../terminal-client';
import { Timeframe } from '../timeframes';
import { type TradeRequest, tradeRequest } from '../trade-request';
import { type LinkErrorKind, isObject } from './link-protocol';

/** A call that is refused before it reaches the terminal. */
export class CallRefused extends Error {
  constructor(
    readonly kind: LinkErrorKind,
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

type Params = readonly unknown[];
type LinkCall = (terminal: TerminalClient, params: Params) => Promise<unknown>;

/** Every method of the port by its own name; parameters are positional, in the order of the port. */
const calls: Readonly<Record<string, LinkCall>> = {
  connect: (terminal) => terminal.connect(),
  login: async (terminal, [credentials]) => {
    const outcome = await terminal.login(credentialsOf(credentials));
    if (!outcome.ok) throw new CallRefused('refused', outcome.lastError.code, outcome.lastError.message);
    return true;
  },
  terminalInfo: (terminal) => terminal.terminalInfo(),
  accountInfo: (terminal) => terminal.accountInfo(),
  symbolsGet: (terminal, [group]) => terminal.symbolsGet(group == null ? undefined : text(group)),
  symbolInfo: (terminal, [symbol]) => terminal.symbolInfo(text(symbol)),
  symbolSelect: (terminal, [symbol, enable]) => terminal.symbolSelect(text(symbol), enable === true),
  symbolInfoTick: (terminal, [symbol]) => terminal.symbolInfoTick(text(symbol)),
  ticks: (terminal, [symbols]) => terminal.ticks(list(symbols).map(text)),
  marketBook: (terminal, [symbol]) => terminal.marketBook(text(symbol)),
  copyRatesFromPos: (terminal, [symbol, timeframe, start, count]) =>
    terminal.copyRatesFromPos(text(symbol), timeframeOf(timeframe), number(start), number(count)),
  copyRatesRange: (terminal, [symbol, timeframe, from, to]) =>
    terminal.copyRatesRange(text(symbol), timeframeOf(timeframe), number(from), number(to)),
  copyTicksRange: (terminal, [symbol, fromMsc, toMsc, flags]) =>
    terminal.copyTicksRange(text(symbol), number(fromMsc), number(toMsc), number(flags)),
  positionsGet: (terminal, [filter]) => terminal.positionsGet(filterOf(filter)),
  ordersGet: (terminal, [filter]) => terminal.ordersGet(filterOf(filter)),
  historyOrdersGet: (terminal, [query]) => terminal.historyOrdersGet(queryOf(query)),
  historyDealsGet: (terminal, [query]) => terminal.historyDealsGet(queryOf(query)),
  orderCheck: (terminal, [request]) => terminal.orderCheck(requestOf(request)),
  orderSend: (terminal, [intentId, request]) => terminal.orderSend(sealRequest(text(intentId), requestOf(request))),
  orderCalcMargin: (terminal, [type, symbol, volume, price]) =>
    terminal.orderCalcMargin(number(type), text(symbol), number(volume), number(price)),
  orderCalcProfit: (terminal, [type, symbol, volume, open, close]) =>
    terminal.orderCalcProfit(number(type), text(symbol), number(volume), number(open), number(close)),
  lastError: (terminal) => terminal.lastError(),
  shutdown: (terminal) => terminal.shutdown(),
};

/** Runs one call of the port. @throws CallRefused or TerminalUnavailableError */
export async function callTerminal(terminal: TerminalClient, method: string, params: unknown): Promise<unknown> {
  const call = Object.hasOwn(calls, method) ? calls[method] : undefined;
  if (!call) throw new CallRefused('protocol', LastErrorCode.UNSUPPORTED, 'there is no such method');
  return call(terminal, list(params ?? []));
}

/**
 * The error that the peer receives for a failed call; an unexpected failure does not prove that a send was not sent.
 */
export function errorOf(error: unknown): { kind: LinkErrorKind; code: number; message: string } {
  if (error instanceof CallRefused) return error;
  if (error instanceof TerminalUnavailableError) return { kind: error.failure, ...error.lastError };
  return { kind: 'failed', code: LastErrorCode.FAIL, message: 'the call failed unexpectedly' };
}

function refuse(what: string): never {
  throw new CallRefused('protocol', LastErrorCode.INVALID_PARAMS, `Invalid params: ${what}`);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : refuse('a text was expected');
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : refuse('a number was expected');
}

/** A ticket or a magic, for example; a double rounds a larger one to another. */
function whole(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : refuse('an integer was expected');
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : refuse('a list was expected');
}

function timeframeOf(value: unknown): Timeframe {
  return Object.values(Timeframe).find((timeframe) => timeframe === value) ?? refuse('a timeframe was expected');
}

function credentialsOf(value: unknown): Credentials {
  if (!isObject(value)) refuse('credentials were expected');
  const { login, password, server, timeoutMs } = value;
  const credentials = { login: number(login), password: text(password), server: text(server) };
  return timeoutMs === undefined ? credentials : { ...credentials, timeoutMs: number(timeoutMs) };
}

function filterOf(value: unknown): ListFilter | undefined {
  if (value == null) return undefined;
  if (!isObject(value)) refuse('a filter was expected');
  const { symbol, group, ticket } = value;
  return {
    ...(symbol === undefined ? {} : { symbol: text(symbol) }),
    ...(group === undefined ? {} : { group: text(group) }),
    ...(ticket === undefined ? {} : { ticket: whole(ticket) }),
  };
}

function queryOf(value: unknown): HistoryQuery {
  if (!isObject(value)) refuse('a query was expected');
  const { from, to, group, ticket, position } = value;
  if (ticket !== undefined) return { ticket: whole(ticket) };
  if (position !== undefined) return { position: whole(position) };
  const span = { from: number(from), to: number(to) };
  return group === undefined ? span : { ...span, group: text(group) };
}

/** The fields of a trade request that need not be integers. */
const decimals: ReadonlySet<string> = new Set(['volume', 'price', 'stoplimit', 'sl', 'tp']);

/** Requires every field in its type: a missing field is an error of the sender, not a default. */
function requestOf(value: unknown): TradeRequest {
  if (!isObject(value)) refuse('a trade request was expected');
  const request: Record<string, unknown> = {};
  for (const [field, blank] of Object.entries(tradeRequest({ action: 0 }))) {
    const read = typeof blank === 'string' ? text : decimals.has(field) ? number : whole;
    request[field] = read(value[field]);
  }
  return tradeRequest({ action: 0, ...request });
}
