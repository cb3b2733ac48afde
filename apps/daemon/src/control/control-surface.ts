import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { RouteMethods, requestIdOf, stampRequestIds } from '@libs/envelope';
import { hostCheck, isLoopback, type HttpSurface } from '@libs/http-surface';
import { MetricsRegistry, recordHttp } from '@libs/metrics';
import type { Logger } from 'pino';
import type { LoggerService } from '@nestjs/common';
import type { Daemon } from '../daemon';
import type { DaemonSettings } from '../daemon.config';
import { DaemonModule } from '../daemon.module';
import { tokenCheck } from './control-token.guard';

/** Builds the control surface, ready to listen on an address. */
export async function createControlSurface(
  daemon: Daemon,
  settings: DaemonSettings,
  logger: Logger,
  { surface, host }: { readonly surface: HttpSurface; readonly host: string },
): Promise<NestFastifyApplication> {
  const mayAsk = tokenCheck(settings.DAEMON_CONTROL_TOKEN);
  const adapter: FastifyAdapter = new FastifyAdapter({
    genReqId: requestIdOf,
    requestIdHeader: false,
    forceCloseConnections: true,
    ...surface.fastifyOptions({
      admit: hostCheck({ names: settings.DAEMON_ALLOWED_HOSTS, isBoundToLoopback: isLoopback(host) }),
      allowedMethods: (path): string[] => app.get(RouteMethods).allowed(path),
      holdsCredential: ({ headers }) => mayAsk(headers.authorization ?? ''),
    }),
  });
  const app: NestFastifyApplication = await NestFactory.create<NestFastifyApplication>(
    DaemonModule.with(daemon, settings),
    adapter,
    { logger: new FrameworkLogger(logger) },
  );
  const fastify = adapter.getInstance();
  app.get(RouteMethods).watch(fastify);
  stampRequestIds(fastify);
  surface.observeHookless(recordHttp(fastify, app.get(MetricsRegistry)));
  return app;
}

/** Log of the framework: start-up messages at debug, problems at their own level. */
class FrameworkLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown): void {
    this.logger.debug(textOf(message));
  }

  warn(message: unknown): void {
    this.logger.warn(textOf(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const fields = typeof message === 'object' && message !== null ? message : { rest };
    this.logger.error(fields, typeof message === 'string' ? message : 'framework');
  }

  fatal(message: unknown): void {
    this.logger.fatal(textOf(message));
  }
}

function textOf(message: unknown): string {
  return typeof message === 'string' ? message : JSON.stringify(message);
}
