import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { version } from '../../../package.json';
import type { GatewaySettings } from './gateway.config';
import { pageHeaders, strictPolicy } from './http/page-headers';
import { renderOnce } from './http/rendered-once';
import { withNullTypes } from './nullable-schemas';

const description = `HTTP API of one trading-terminal account.

Every route except \`GET /health/live\` and this page requires \`Authorization: Bearer <API_KEY>\`.
Every answer carries \`ok\` and the \`X-Request-ID\` header; every error has the same envelope, with one of the listed values of \`error_type\`.
A trade request should have an \`Idempotency-Key\`: a request repeated with the same key is never sent twice.
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
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  return withNullTypes(document);
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

/** Placeholder for the address of this server, which each request names. */
const placeholder = 'http://server.invalid';

/** Mounts the interactive docs at /apidocs, with all assets served by this process. */
export function mountDocs(app: NestFastifyApplication, settings: Pick<GatewaySettings, 'DOCS_SCHEME'>): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    if (/^\/apidocs(?:[/?]|$)/.test(request.url))
      void reply.headers({ ...pageHeaders, 'content-security-policy': policy });
    done();
  });
  renderOnce(fastify, {
    urls: [
      ...['/apidocs/openapi.json', '/apidocs/openapi.yaml'],
      ...['/apidocs/swagger-ui-init.js', '/apidocs/apidocs/swagger-ui-init.js'],
    ],
    placeholder,
    serverUrl: ({ host }) => serverUrl(settings.DOCS_SCHEME, host),
  });
  const document = (): OpenAPIObject => ({ ...gatewayDocument(app), servers: [{ url: placeholder }] });
  SwaggerModule.setup('apidocs', app, document, {
    jsonDocumentUrl: 'apidocs/openapi.json',
    yamlDocumentUrl: 'apidocs/openapi.yaml',
    customSiteTitle: 'Trading gateway API',
    swaggerOptions: { validatorUrl: null, displayRequestDuration: true, tagsSorter: null },
  });
}

/** The server address from the request, validated because it goes into a script. */
function serverUrl(scheme: string, host: string | undefined): string {
  return host !== undefined && /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?$/.test(host) ? `${scheme}://${host}` : '/';
}
