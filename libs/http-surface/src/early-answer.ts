import { STATUS_CODES, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { errorBody, requestIdOf, type ApiError } from '@libs/envelope';

/** Headers for answers that are made before any hook has run, such as CORS; by the request's headers. */
export type EarlyHeaders = (headers: IncomingHttpHeaders) => Readonly<Record<string, string>>;

/** An answer that is made without a handler. */
export interface EarlyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** The whole answer to a request that no handler sees: the error envelope with its request id. */
export function earlyAnswer(error: ApiError, headers: IncomingHttpHeaders, early: EarlyHeaders): EarlyAnswer {
  const requestId = requestIdOf({ headers });
  const body = JSON.stringify(errorBody(error, requestId));
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': requestId,
      ...early(headers),
      ...error.headers,
    },
    body,
  };
}

/** Sends it and lets the connection end: what follows on it may not be where the parser takes it to be. */
export function refuse(response: ServerResponse, { status, headers, body }: EarlyAnswer): void {
  response.writeHead(status, { ...headers, connection: 'close' });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** The same as bytes, for a connection whose parser has given up. */
export function asBytes({ status, headers, body }: EarlyAnswer): string {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
