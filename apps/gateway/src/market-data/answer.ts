import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';

const contentType = 'application/json; charset=utf-8';

/** Sends a JSON body that stands ready in pieces, without putting them together. */
export function sendPieces(reply: FastifyReply, pieces: readonly Buffer[]): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const { raw } = reply;
  // What hooks have set so far goes along: request id, CORS.
  const headers: OutgoingHttpHeaders = { ...reply.getHeaders(), 'content-type': contentType, 'content-length': length };
  reply.hijack();
  raw.writeHead(200, headers);
  raw.cork();
  for (const piece of pieces) raw.write(piece);
  raw.end();
  raw.uncork();
}
