import { STATUS_CODES, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { errorBody, requestIdOf, type ApiError } from '@libs/envelope';

/** Headers for answers that are created before any hook ran, such as CORS, from the request's headers. */
export type EarlyHeaders = (headers: IncomingHttpHeaders) => Readonly<Record<string, string>>;

/** An answer that is created without a handler. */
export interface EarlyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** The complete answer to a request that reaches no handler: the error envelope with its request id. */
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

/** Sends it and ends the connection, because the parser may be out of step with the data that follows. */
export function refuse(response: ServerResponse, { status, headers, body }: EarlyAnswer): void {
  response.writeHead(status, { ...headers, connection: 'close' });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** The same as bytes, for a connection whose parser has given up. */
export function asBytes({ status, headers, body }: EarlyAnswer): string {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
