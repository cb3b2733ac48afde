import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { PinoLogger } from 'nestjs-pino';
import type { Logger } from 'pino';
import { RouteMethods, requestIds, stampRequestIds } from '@libs/envelope';
import { HttpSurface } from '@libs/http-surface';
import { MetricsRegistry, recordHttp } from '@libs/metrics';
import { openSpans, Spans } from '@libs/tracing';
import { version } from '../../../package.json';
import { mountConsole } from './console/console-page';
import { mountFrontPage } from './front-page';
import { haltBeforeReading, withoutSlashesBehindKill } from './control/halt-first';
import { HaltService } from './control/halt.service';
import type { GatewaySettings } from './gateway.config';
import { mountDocs } from './gateway.docs';
import { systemEdge, type GatewayEdge } from './gateway.edge';
import { QuietFrameworkLogger } from './gateway.logger';
import { GatewayModule } from './gateway.module';
import { authorizationOf, keyRoles } from './http/api-key';
import { earlyCorsHeaders, enableCors, preflightCheck } from './http/cors';
import { acceptJsonOnly, logAccess } from './http/http-hooks';
import { requireKeyBeforeReading } from './http/key-access';
import { recordRequestSpans } from './http/request-spans';
import { watchWrongKeys } from './http/wrong-keys';
import { readAlertsAsTheyAre } from './signals/alert-body';

const bodyLimitBytes = 64 * 1_024;

/**
 * Builds the whole application, ready to listen.
 * @param changes parts of the edge that replace those of the machine
 */
export async function createGateway(
  settings: GatewaySettings,
  logger: Logger,
  changes: Partial<GatewayEdge> = {},
): Promise<NestFastifyApplication> {
  const edge = { ...systemEdge(), ...changes };
  const spans = openSpans({
    endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    service: 'trading-gateway',
    version,
  });
  const roleOf = keyRoles(settings);
  const surface = new HttpSurface({ clock: edge.clock, early: earlyCorsHeaders(settings) });
  const adapter: FastifyAdapter = new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    genReqId: requestIds(edge.newId),
    requestIdHeader: false,
    // A closing gateway still answers requests in progress; readiness has already diverted new traffic.
    return503OnClosing: false,
    rewriteUrl: withoutSlashesBehindKill,
    ...surface.fastifyOptions({
      admit: preflightCheck(settings),
      holdsCredential: (request) => roleOf(authorizationOf(request)) !== null,
      allowedMethods: (path): string[] => app.get(RouteMethods).allowed(path),
    }),
  });
  const app: NestFastifyApplication = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.with(settings, logger, edge, spans),
    adapter,
    {
      bodyParser: false,
      bufferLogs: true,
      // main reports a failed start in one line.
      abortOnError: false,
      autoFlushLogs: false,
    },
  );
  app.useLogger(new QuietFrameworkLogger(await app.resolve(PinoLogger), {}));
  app.flushLogs();
  const fastify = adapter.getInstance();
  app.get(RouteMethods).watch(fastify);
  stampRequestIds(fastify);
  surface.observeHookless(logAccess(fastify, logger), recordHttp(fastify, app.get(MetricsRegistry)));
  surface.lendSockets(fastify);
  recordRequestSpans(fastify, app.get(Spans), edge.clock);
  watchWrongKeys(fastify, { clock: edge.clock, registry: app.get(MetricsRegistry), logger });
  acceptJsonOnly(fastify);
  readAlertsAsTheyAre(fastify);
  requireKeyBeforeReading(fastify, roleOf);
  haltBeforeReading(fastify, app.get(HaltService, { strict: false }), roleOf);
  surface.closeWith(fastify);
  enableCors(app, settings);
  mountDocs(app, settings);
  mountConsole(fastify, settings, logger);
  mountFrontPage(fastify, settings);
  return app;
}
