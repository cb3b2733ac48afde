import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

import { packedRowsType } from '../http/packed-rows';

const jsonType = 'application/json; charset=utf-8';

/** Sends a JSON body from finished pieces, without concatenating them. */
export function sendPieces(reply: FastifyReply, pieces: readonly Buffer[]): void {
  send(reply, pieces, jsonType);
}

/** Sends packed rows. */
export function sendPackedRows(reply: FastifyReply, pieces: readonly Buffer[]): void {
  send(reply, pieces, packedRowsType);
}

function send(reply: FastifyReply, pieces: readonly Buffer[], contentType: string): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const raw = takeOver(reply, { 'content-type': contentType, 'content-length': length });
  raw.cork();
  for (const piece of pieces) raw.write(piece);
  raw.end();
  raw.uncork();
}

/**
 * Streams a JSON body as it is produced, no faster than the client reads it. A failure before the first piece is an
 * ordinary error; after it the connection is cut, so that a partial answer is never taken for a complete one.
 */
export function streamPieces(reply: FastifyReply, pieces: AsyncGenerator<Buffer>): Promise<void> {
  return stream(reply, pieces, jsonType);
}

/** As {@link streamPieces}, for packed rows. */
export function streamPackedRows(reply: FastifyReply, pieces: AsyncGenerator<Buffer>): Promise<void> {
  return stream(reply, pieces, packedRowsType);
}

async function stream(reply: FastifyReply, pieces: AsyncGenerator<Buffer>, contentType: string): Promise<void> {
  let next = await pieces.next();
  const raw = takeOver(reply, { 'content-type': contentType });
  const closed = new AbortController();
  raw.once('close', () => closed.abort());
  try {
    for (; next.done !== true && !closed.signal.aborted; next = await pieces.next()) {
      if (!raw.write(next.value)) await once(raw, 'drain', { signal: closed.signal });
    }
    raw.end();
  } catch (error) {
    if (closed.signal.aborted) return;
    raw.destroy();
    throw error;
  } finally {
    await pieces.return(undefined);
  }
}

/** Hijacks the answer from the framework, with the headers that hooks have set so far: request id, CORS. */
export function takeOver(reply: FastifyReply, headers: Readonly<Record<string, string | number>>): ServerResponse {
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  reply.hijack();
  raw.writeHead(200, { ...headers });
  return raw;
}
