import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';

interface Pages {
  /** The routes that serve such pages. */
  readonly urls: readonly string[];
  /** The placeholder of the server address in a rendered page. */
  readonly placeholder: string;
  /** The address that replaces it. */
  readonly serverUrl: (headers: FastifyRequest['headers']) => string;
}

/** The parts of a page around the address, as bytes. */
interface Rendered {
  readonly pieces: readonly Buffer[];
  readonly contentType: string;
  readonly etag: string;
}

/**
 * Renders pages that differ only by the server address once instead of per request, because they are large and can be
 * requested without the key. Call before the routes are registered.
 */
export function renderOnce(fastify: FastifyInstance, { urls, placeholder, serverUrl }: Pages): void {
  const kept = new Map<string, Rendered>();
  const answer = (page: Rendered, request: FastifyRequest, reply: FastifyReply): Buffer | undefined => {
    void reply.headers({ etag: page.etag, 'cache-control': 'no-cache' }).type(page.contentType);
    if (hasTag(request.headers['if-none-match'], page.etag)) {
      void reply.status(304);
      return undefined;
    }
    const address = Buffer.from(serverUrl(request.headers));
    return Buffer.concat(page.pieces.flatMap((piece, index) => (index === 0 ? [piece] : [address, piece])));
  };
  fastify.addHook('onRoute', (route) => {
    if (!urls.includes(route.url)) return;
    route.onRequest = (request, reply, done) => {
      const page = kept.get(route.url);
      if (!page) return done();
      void reply.send(answer(page, request, reply));
    };
    const keep: onSendHookHandler = (request, reply, payload, done) => {
      if (kept.has(route.url) || typeof payload !== 'string' || reply.statusCode !== 200) return done(null, payload);
      const page = {
        pieces: payload.split(placeholder).map((piece) => Buffer.from(piece)),
        contentType: String(reply.getHeader('content-type')),
        etag: `"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`,
      };
      kept.set(route.url, page);
      const body = answer(page, request, reply);
      if (body) void reply.header('content-length', body.length);
      done(null, body ?? '');
    };
    // Before Fastify's own hook for HEAD, which removes the body.
    route.onSend = [keep, ...[route.onSend ?? []].flat()];
  });
}

function hasTag(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes('*') || tags.includes(etag);
}
