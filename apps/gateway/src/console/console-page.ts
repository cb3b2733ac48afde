import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { systemErrorText } from '@libs/envelope';
import type { GatewaySettings } from '../gateway.config';
import { pageHeaders, strictPolicy } from '../http/page-headers';

/** A file of the page, as it is sent. */
interface PageFile {
  readonly url: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

/** `npm run build` writes the page beside the compiled programs. */
const builtFolder = join(__dirname, '../../console');

const sources = [
  { url: '/console', file: 'index.html', type: 'text/html; charset=utf-8' },
  { url: '/console/console.js', file: 'console.js', type: 'text/javascript; charset=utf-8' },
  { url: '/console/console.css', file: 'console.css', type: 'text/css; charset=utf-8' },
] as const;

const policy = [
  ...strictPolicy,
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // The empty icon, which saves a request for one.
  'img-src data:',
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  ...pageHeaders,
  'cache-control': 'no-cache',
};

/**
 * Serves the operator's page at /console. It needs no key, because it has no data: it reads everything from the API, with
 * the key that its user enters. A build without the page serves the API alone, because trading does not depend on it.
 */
export function mountConsole(
  fastify: FastifyInstance,
  { CONSOLE }: Pick<GatewaySettings, 'CONSOLE'>,
  logger: Logger,
  folder = builtFolder,
): void {
  if (!CONSOLE) return;
  try {
    for (const file of readPage(folder)) serveFile(fastify, file);
    // Relative, for a proxy that serves the gateway under a path of its own.
    fastify.get('/console/', (_request, reply) => reply.redirect('../console', 308));
  } catch (error) {
    logger.warn(
      { reason: systemErrorText(error) },
      'the console is missing from this build, so /console is not served',
    );
  }
}

/** @throws an error of the file system; then no route was added */
function readPage(folder: string): PageFile[] {
  return sources.map(({ url, file, type }) => {
    const bytes = readFileSync(join(folder, file));
    return { url, type, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
  });
}

function serveFile(fastify: FastifyInstance, { url, type, bytes, etag }: PageFile): void {
  fastify.get(url, (request, reply) => {
    void reply.headers({ ...headers, etag });
    if (request.headers['if-none-match'] === etag) return reply.status(304).send();
    return reply.type(type).send(bytes);
  });
}
