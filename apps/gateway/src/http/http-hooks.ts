import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '@libs/envelope';
import { parseStrictJson } from '@libs/http-surface';
import { traceOf } from './trace-of';

/**
 * Writes one log line per request: mutations at INFO, reads at DEBUG, internal failures at WARNING. The path is logged
 * without its query and without a secret, and bodies are never logged. It is a hook, because request logging by middleware
 * halves the throughput of a light read. Returns the function that writes the line, for answers without hooks.
 */
export function logAccess(
  fastify: FastifyInstance,
  logger: Logger,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const access = logger.child({ context: 'access' });
  const write = (request: FastifyRequest, reply: FastifyReply): void => {
    const level = reply.statusCode >= 500 ? 'warn' : request.method === 'GET' ? 'debug' : 'info';
    if (access.isLevelEnabled(level)) {
      access[level](
        {
          request_id: request.id,
          trace_id: traceOf(request).traceId,
          method: request.method,
          path: shownPath(request.url),
          status: reply.statusCode,
          duration_ms: Math.round(reply.elapsedTime * 1_000) / 1_000,
        },
        'request',
      );
    }
  };
  fastify.addHook('onResponse', (request, reply, done) => {
    write(request, reply);
    done();
  });
  return write;
}

/** The path without its query, and without the secret that the path of a signal may have. */
function shownPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  // The router takes an encoded letter for the letter.
  const [, before] = /^(\/+signals\/+[^/]*\/+)./is.exec(decoded(path)) ?? [];
  return before === undefined ? path : `${before}...`;
}

function decoded(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * Makes JSON the only body type (anything else is 415), and treats an empty body as absent, so that `POST /kill` works
 * with a content type but no content.
 */
export function acceptJsonOnly(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    body.length === 0 ? undefined : parseStrictJson(body),
  );
  fastify.addHook('preParsing', (request, _reply, payload, done) => done(codingProblem(request), payload));
}

/** A body that is compressed, or said to be, is not read (RFC 9110, 8.4). A read has no body. */
function codingProblem({ method, headers }: FastifyRequest): ApiError | null {
  const coding = headers['content-encoding'];
  if (coding === undefined || method === 'GET' || method === 'HEAD') return null;
  if (coding.split(',').every((name) => ['', 'identity'].includes(name.trim().toLowerCase()))) return null;
  return new ApiError(
    'unsupported_media_type',
    `Content-Encoding ${coding} is not supported: send the body as it is, without Content-Encoding`,
    { headers: { 'accept-encoding': 'identity' } },
  );
}
