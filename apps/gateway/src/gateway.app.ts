import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { PinoLogger } from 'nestjs-pino';
import type { Logger } from 'pino';
import { SystemClock, type Clock } from '@libs/clock';
import { RouteMethods, requestIdOf, stampRequestIds } from '@libs/envelope';
import { HttpSurface } from '@libs/http-surface';
import { MetricsRegistry, recordHttp } from '@libs/metrics';
import { haltBeforeReading, withoutSlashesBehindKill } from './control/halt-first';
import { HaltService } from './control/halt.service';
import type { GatewaySettings } from './gateway.config';
import { mountDocs } from './gateway.docs';
import { QuietFrameworkLogger } from './gateway.logger';
import { GatewayModule } from './gateway.module';
import { holdsApiKey } from './http/api-key';
import { earlyCorsHeaders, enableCors, preflightCheck } from './http/cors';
import { acceptJsonOnly, logAccess } from './http/http-hooks';

const bodyLimitBytes = 64 * 1_024;

/** Builds the whole application, ready to listen. */
export async function createGateway(
  settings: GatewaySettings,
  logger: Logger,
  clock?: Clock,
): Promise<NestFastifyApplication> {
  const surface = new HttpSurface({ clock: clock ?? new SystemClock(), early: earlyCorsHeaders(settings) });
  const adapter: FastifyAdapter = new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    genReqId: requestIdOf,
    requestIdHeader: false,
    // A closing gateway answers what it was asked; readiness has turned new traffic away before.
    return503OnClosing: false,
    rewriteUrl: withoutSlashesBehindKill,
    routerOptions: { maxParamLength: 512 },
    ...surface.fastifyOptions({
      admit: preflightCheck(settings),
      allowedMethods: (path): string[] => app.get(RouteMethods).allowed(path),
    }),
  });
  const app: NestFastifyApplication = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.with(settings, logger, clock),
    adapter,
    {
      bodyParser: false,
      bufferLogs: true,
      // A start that fails is reported by main, in one line.
      abortOnError: false,
      autoFlushLogs: false,
    },
  );
  app.useLogger(new QuietFrameworkLogger(await app.resolve(PinoLogger), {}));
  app.flushLogs();
  const fastify = adapter.getInstance();
  app.get(RouteMethods).watch(fastify);
  stampRequestIds(fastify);
  surface.observeRouterErrors(logAccess(fastify, logger), recordHttp(fastify, app.get(MetricsRegistry)));
  acceptJsonOnly(fastify);
  haltBeforeReading(fastify, holdsApiKey(settings.API_KEY), app.get(HaltService, { strict: false }));
  surface.closeWith(fastify);
  enableCors(app, settings);
  mountDocs(app, settings);
  return app;
}
