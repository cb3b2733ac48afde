import type { IncomingHttpHeaders } from 'node:http';
import { validationError, type ApiError } from '@libs/envelope';

interface RequestHead {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

const version = '13';

/** Whether a request asks for a WebSocket (RFC 6455 §4.2.1). */
export function isWebSocketHandshake({ method, headers }: RequestHead): boolean {
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers.connection !== undefined &&
    /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(headers.connection)
  );
}

/** The subprotocols that a client offers, in its order. */
export function offeredProtocols({ 'sec-websocket-protocol': offer }: IncomingHttpHeaders): string[] {
  return offer === undefined ? [] : offer.split(',').map((protocol) => protocol.trim());
}

/**
 * Why a handshake cannot succeed; null if it can.
 * @param protocol the subprotocol of the server: a client that offers any must offer it
 */
export function handshakeProblem(headers: IncomingHttpHeaders, protocol: string): ApiError | null {
  if (headers['sec-websocket-version'] !== version) {
    return validationError({ field: 'Sec-WebSocket-Version', problem: `must be ${version}` });
  }
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')) {
    return validationError({ field: 'Sec-WebSocket-Key', problem: 'must be 16 bytes in base64' });
  }
  const offered = offeredProtocols(headers);
  if (offered.some((each, index) => !/^[!#$%&'*+\-.^_`|~\w]+$/.test(each) || offered.indexOf(each) !== index)) {
    return validationError({ field: 'Sec-WebSocket-Protocol', problem: 'must list different subprotocols' });
  }
  if (offered.length > 0 && !offered.includes(protocol)) {
    return validationError({ field: 'Sec-WebSocket-Protocol', problem: `must contain ${protocol}` });
  }
  return null;
}
