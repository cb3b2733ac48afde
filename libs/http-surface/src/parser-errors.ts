import { METHODS, type IncomingHttpHeaders } from 'node:http';
import { ApiError, validationError } from '@libs/envelope';

/** What Node reports by `clientError`. */
export interface ParserError extends Error {
  readonly code?: string;
  /** The bytes it could not parse, from the start of the packet. */
  readonly rawPacket?: Buffer;
}

/** The error for data that the parser rejected. Nothing was done, so it is always a 4xx other than 409. */
export function parserFailure(error: ParserError, allowedMethods: (path: string) => readonly string[]): ApiError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headers_too_large', 'the request line and headers exceed 16 KiB');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('request_timeout', 'the request was not received completely within the time limit');
    case 'HPE_INVALID_METHOD':
      return unknownMethod(error, allowedMethods);
    default:
      return validationError({ field: 'request', problem: 'is not valid HTTP/1.1' });
  }
}

/** The headers that answers depend on, as far as the packet contains them. */
export function headersOfPacket({ rawPacket }: ParserError): IncomingHttpHeaders {
  const head = rawPacket?.toString('latin1').split('\r\n\r\n', 1)[0] ?? '';
  const origin = /^origin:[ \t]*([\x21-\x7e]+)[ \t]*$/im.exec(head)?.[1];
  const id = /^x-request-id:[ \t]*([\x21-\x7e]+)[ \t]*$/im.exec(head)?.[1];
  return { ...(origin === undefined ? {} : { origin }), ...(id === undefined ? {} : { 'x-request-id': id }) };
}

function unknownMethod({ rawPacket }: ParserError, allowedMethods: (path: string) => readonly string[]): ApiError {
  const line = /^([A-Za-z-]+) (\/[^ ?]*)\S* HTTP\/1\.[01]\r?\n/.exec(rawPacket?.toString('latin1') ?? '');
  const [, method = '', path = ''] = line ?? [];
  if (!line || METHODS.includes(method)) return validationError({ field: 'request', problem: 'is not valid HTTP/1.1' });
  const allowed = allowedMethods(path);
  if (allowed.length === 0) return new ApiError('not_found', 'not found');
  return methodNotAllowed(method, allowed);
}

/** The error for a method that a path does not support. @param allowed none: no path supports it */
export function methodNotAllowed(method: string, allowed: readonly string[]): ApiError {
  const remedy = allowed.length === 0 ? ' on any path' : ` here; allowed: ${allowed.join(', ')}`;
  return new ApiError('method_not_allowed', `${method} is not allowed${remedy}`, {
    headers: { allow: allowed.join(', ') },
  });
}
