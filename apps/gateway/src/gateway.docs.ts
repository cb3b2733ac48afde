import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { version } from '../../../package.json';
import type { GatewaySettings } from './gateway.config';
import { renderOnce } from './http/rendered-once';
import { withNullTypes } from './nullable-schemas';

const description = `HTTP API of one trading-terminal account.

Every route but \`GET /health/live\` and this page wants \`Authorization: Bearer <API_KEY>\`.
Every answer carries \`ok\` and the \`X-Request-ID\` header; every error has the same envelope and a closed list of \`error_type\`.
A trade request should carry an \`Idempotency-Key\`: repeating it never sends twice.
Epoch times are the broker server's clock, not UTC; their \`_utc\` siblings are.`;

const tags = {
  order: 'Place, change and cancel orders',
  position: 'Open positions: protect and close them',
  data: 'Bars, ticks and streams',
  history: 'Orders and deals of the past',
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

/** Stands in the document for the address of this server, which each request names. */
const placeholder = 'http://server.invalid';

/** Mounts the interactive docs at /apidocs, with their assets from this process and nothing from anywhere else. */
export function mountDocs(app: NestFastifyApplication, settings: Pick<GatewaySettings, 'DOCS_SCHEME'>): void {
  renderOnce(app.getHttpAdapter().getInstance(), {
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

/** The address of this server as the request names it, where that looks like one: it goes into a script. */
function serverUrl(scheme: string, host: string | undefined): string {
  return host !== undefined && /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?$/.test(host) ? `${scheme}://${host}` : '/';
}
