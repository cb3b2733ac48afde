import { connect, type Socket } from 'node:net';
import type { FuzzAnswer, FuzzRequest } from './fuzz-request';

/** The request as bytes of HTTP/1.1. Nothing is encoded or repaired. */
export function requestBytes({ method, url, headers, body }: FuzzRequest): Buffer {
  const names = headers.map(([name]) => name.toLowerCase());
  const lines = [`${method} ${url} HTTP/1.1`];
  if (!names.includes('host')) lines.push('Host: localhost');
  lines.push(...headers.map(([name, value]) => `${name}: ${value}`));
  if (body !== null && !names.includes('content-length') && !names.includes('transfer-encoding')) {
    lines.push(`Content-Length: ${body.length}`);
  }
  lines.push('Connection: close', '', '');
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body ?? Buffer.alloc(0)]);
}

/**
 * Sends bytes on a connection of its own.
 * @returns the answer, or null when the connection was closed without one
 * @param clients the sockets that are open, to end those that get no answer
 * @throws Error for an answer that is not HTTP/1.1
 */
export function overSocket(port: number, bytes: Buffer, clients: Set<Socket>): Promise<FuzzAnswer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: '127.0.0.1', port });
    clients.add(socket);
    const finish = (): void => {
      clients.delete(socket);
      socket.destroy();
      try {
        resolve(parseAnswer(Buffer.concat(chunks)));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      // A stream does not end. Its first events come with its head, or soon after.
      if (isStream(chunks)) setImmediate(() => setImmediate(finish));
    });
    // The server may close before it has read all of the request; what it answered is there.
    socket.on('error', () => undefined);
    socket.on('close', finish);
    socket.write(bytes);
  });
}

const endOfHead = '\r\n\r\n';

function isStream(chunks: readonly Buffer[]): boolean {
  const heads = Buffer.concat(chunks).toString('latin1').split(endOfHead);
  return heads.slice(0, -1).some((head) => /^content-type: text\/event-stream/im.test(head) || isFollowed(head));
}

/** Log lines as they are written. */
function isFollowed(head: string): boolean {
  return /^content-type: text\/plain/im.test(head) && /^transfer-encoding: chunked/im.test(head);
}

function parseAnswer(bytes: Buffer): FuzzAnswer | null {
  if (bytes.length === 0) return null;
  const text = bytes.toString('latin1');
  const end = text.indexOf(endOfHead);
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(first) ?? [];
  // An interim answer: the one that counts follows.
  if (status?.startsWith('1') === true) return parseAnswer(bytes.subarray(end + endOfHead.length));
  if (end < 0 || status === undefined) throw new Error(`the answer is not HTTP/1.1: ${text.slice(0, 200)}`);
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = bytes.subarray(end + endOfHead.length);
  const isChunked = headers['transfer-encoding'] === 'chunked';
  return { status: Number(status), headers, text: (isChunked ? joined(body) : body).toString('utf8') };
}

/** The chunks of a body in one piece, as far as they are complete. */
function joined(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const end = body.indexOf('\r\n', at);
    const size = end < 0 ? 0 : Number.parseInt(body.toString('latin1', at, end), 16);
    if (!(size > 0)) break;
    parts.push(body.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts);
}
