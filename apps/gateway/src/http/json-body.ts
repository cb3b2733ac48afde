import type { FastifyReply } from 'fastify';

const contentType = 'application/json; charset=utf-8';

/** Sends a JSON body from finished text. */
export function sendJson(reply: FastifyReply, body: string): void {
  void reply.header('content-type', contentType).send(body);
}
