import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { version } from '../../../package.json';
import type { GatewaySettings } from './gateway.config';
import { pageHeaders, strictPolicy } from './http/page-headers';
import { renderOnce } from './http/rendered-once';
import { withExactTypes, withExpiredAnswers } from './document-schemas';

const description = `HTTP API of one trading-terminal account.

Every route except \`GET /health/live\`, \`POST /signals/{name}\` and this page requires \`Authorization: Bearer <API_KEY>\`.
Every answer carries \`ok\` and the \`X-Request-ID\` header; every error has the same envelope, with one of the listed values of \`error_type\`.
A trade request should have an \`Idempotency-Key\`: a request repeated with the same key is never sent twice.
This document is at \`/apidocs/openapi.json\` and \`/apidocs/openapi.yaml\`.
Epoch times are in broker server time, not UTC; the fields ending in \`_utc\` are in UTC.`;

const tags = {
  order: 'Place, change and cancel orders',
  position: 'Open positions: protect and close them',
  data: 'Bars, ticks and streams',
  history: 'Historical orders and deals',
  symbol: 'Symbols and quotes',
  account: 'The account',
  control: 'Kill switch and reconciliation',
  health: 'Probes, report and metrics',
} as const;

/** The OpenAPI document of the running application. */
export function gatewayDocument(app: NestFastifyApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Trading gateway')
    .setDescription(description)
    .setVersion(version)
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'The API_KEY of the gateway.' });
  for (const [name, about] of Object.entries(tags)) builder.addTag(name, about);
  const document = SwaggerModule.createDocument(app, builder.build(), {
    autoTagControllers: false,
    operationIdFactory: (_controller, method) => method,
  });
  return withExactTypes(withExpiredAnswers(document));
}

/** Swagger UI sets styles in its elements and has images in its style sheet. */
const policy = [
  ...strictPolicy,
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
].join('; ');

/** From the address of the document, so that a client behind a proxy with a path prefix finds the routes. */
const relativeServer = { url: '..', description: 'This gateway, by the address of this document.' };

/** Placeholder for the address of this server, which each request names. */
const placeholder = 'http://server.invalid';

const charset = '<meta charset="UTF-8">';
/** What the page of Swagger UI lacks: the width of a phone, and the address of the document for programs. */
const headOfPage =
  '<meta name="viewport" content="width=device-width, initial-scale=1">' +
  '<link rel="service-desc" type="application/vnd.oai.openapi+json" href="apidocs/openapi.json">';

/** Mounts the interactive docs at /apidocs, with all assets served by this process. */
export function mountDocs(app: NestFastifyApplication, settings: Pick<GatewaySettings, 'DOCS_SCHEME'>): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    if (/^\/apidocs(?:[/?]|$)/.test(request.url))
      void reply.headers({ ...pageHeaders, 'content-security-policy': policy });
    done();
  });
  fastify.addHook('onSend', (request, _reply, payload: unknown, done) => {
    const isPage = /^\/apidocs(?:\?|$)/.test(request.url) && typeof payload === 'string';
    done(null, isPage ? payload.replace(charset, charset + headOfPage) : payload);
  });
  renderOnce(fastify, {
    urls: [
      ...['/apidocs/openapi.json', '/apidocs/openapi.yaml'],
      ...['/apidocs/swagger-ui-init.js', '/apidocs/apidocs/swagger-ui-init.js'],
    ],
    placeholder,
    serverUrl: ({ host }) => serverUrl(settings.DOCS_SCHEME, host),
  });
  const document = (): OpenAPIObject => ({
    ...gatewayDocument(app),
    servers: [relativeServer, { url: placeholder, description: 'By DOCS_SCHEME and the host of this request.' }],
  });
  SwaggerModule.setup('apidocs', app, document, {
    jsonDocumentUrl: 'apidocs/openapi.json',
    yamlDocumentUrl: 'apidocs/openapi.yaml',
    customSiteTitle: 'Trading gateway API',
    swaggerUrl: 'apidocs/openapi.json',
    // Without an own document the page loads the one at the URL, resolves its server by that URL, and links it.
    swaggerOptions: { spec: null, validatorUrl: null, displayRequestDuration: true, tagsSorter: null },
  });
}

/** The server address from the request, validated because it goes into a script. */
function serverUrl(scheme: string, host: string | undefined): string {
  return host !== undefined && /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?$/.test(host) ? `${scheme}://${host}` : '/';
}
