import type { FastifyInstance } from 'fastify';
import type { GatewaySettings } from './gateway.config';
import { pageHeaders, strictPolicy } from './http/page-headers';

const pageOf = (links: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Trading gateway</title>
<h1>Trading gateway</h1>
<ul>
${links}</ul>
</html>
`;
const consoleLink = '<li><a href="console">Console</a></li>\n';
const docsLink = '<li><a href="apidocs">API documentation</a></li>\n';

/** Leads a browser from the root to the pages. For programs the root is no route. */
export function mountFrontPage(fastify: FastifyInstance, { CONSOLE }: Pick<GatewaySettings, 'CONSOLE'>): void {
  const page = pageOf(`${CONSOLE ? consoleLink : ''}${docsLink}`);
  const headers = { ...pageHeaders, 'content-security-policy': strictPolicy.join('; '), 'cache-control': 'no-cache' };
  fastify.get('/', (request, reply) => {
    if (request.headers.accept?.includes('text/html') !== true) return reply.callNotFound();
    return reply.headers(headers).type('text/html; charset=utf-8').send(page);
  });
}
