import type { LastError, TerminalFailure } from '../last-error';

/** The version both sides must speak; exchanged in `hello`. */
export const linkProtocol = 1;
/** A longer line closes the connection. */
export const maxLineBytes = 32 * 1024 * 1024;
export const pingPeriodMs = 5_000;
/** As many pings without a byte from the peer mean that it is dead. */
export const missedPingsAllowed = 2;

/** Why a call has no result: failures of the port, and failures of the link. */
export type LinkErrorKind =
  | TerminalFailure
  /** Proven never to have reached the trade server; only for `orderSend`. */
  | 'refused'
  /** Wrong token, or a call before `hello`. */
  | 'unauthorised'
  /** Not a message of this protocol. */
  | 'protocol';

/** `code` is the terminal's last_error. */
export interface LinkError extends LastError {
  readonly data?: { readonly kind?: LinkErrorKind };
}

export interface LinkRequest {
  readonly type: 'request';
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}
export interface LinkNotification {
  readonly type: 'notification';
  readonly method: string;
  readonly params: unknown;
}
export interface LinkAnswer {
  readonly type: 'answer';
  /** Null if the peer could not identify the request that it answers. */
  readonly id: number | null;
  readonly outcome: { readonly result: unknown } | { readonly error: LinkError };
}
export type LinkMessage = LinkRequest | LinkNotification | LinkAnswer;

/** The answer to `hello`. */
export interface Greeting {
  readonly driver: string;
  readonly build: number;
  readonly login?: number;
}

/** Reads one line; null for anything that is not a message of this protocol. */
export function parseMessage(line: string): LinkMessage | null {
  const value = parseJson(line);
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return null;
  const { id, method, params } = value;
  if (typeof method === 'string') {
    if (id === undefined) return { type: 'notification', method, params };
    return Number.isSafeInteger(id) ? { type: 'request', id: Number(id), method, params } : null;
  }
  if (id !== null && !Number.isSafeInteger(id)) return null;
  const answered = { type: 'answer', id: id === null ? null : Number(id) } as const;
  if ('error' in value) {
    const error = parseError(value['error']);
    return error && { ...answered, outcome: { error } };
  }
  return 'result' in value ? { ...answered, outcome: { result: value['result'] } } : null;
}

export function requestLine(id: number, method: string, params: unknown): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
}

export function notificationLine(method: string, params: unknown): string {
  return `${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`;
}

export function resultLine(id: number, result: unknown): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, result: result ?? null }, columnsAsArrays)}\n`;
}

export function errorLine(id: number | null, kind: LinkErrorKind, { code, message }: LastError): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data: { kind } } })}\n`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Typed arrays would be written as objects with an entry for every index. */
function columnsAsArrays(_key: string, value: unknown): unknown {
  return ArrayBuffer.isView(value) && 'length' in value ? Array.from(value as Float64Array) : value;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function parseError(value: unknown): LinkError | null {
  if (!isObject(value) || typeof value['code'] !== 'number' || typeof value['message'] !== 'string') return null;
  const kind = isObject(value['data']) ? value['data']['kind'] : undefined;
  const error = { code: value['code'], message: value['message'] };
  return isErrorKind(kind) ? { ...error, data: { kind } } : error;
}

const errorKinds: Readonly<Record<LinkErrorKind, true>> = {
  disconnected: true,
  timeout: true,
  busy: true,
  failed: true,
  refused: true,
  unauthorised: true,
  protocol: true,
};

function isErrorKind(value: unknown): value is LinkErrorKind {
  return typeof value === 'string' && Object.hasOwn(errorKinds, value);
}
