import { logOptions } from '@libs/logging';
import { Logger as NestLogger } from 'nestjs-pino';
import pino, { type DestinationStream, type Logger } from 'pino';
import type { GatewaySettings } from './gateway.config';

/** Structured logs on standard output, in the format that both programs share. */
export function gatewayLogger(
  { LOG_LEVEL }: Pick<GatewaySettings, 'LOG_LEVEL'>,
  destination?: DestinationStream,
): Logger {
  const options = logOptions('gateway', LOG_LEVEL);
  return destination ? pino(options, destination) : pino(options);
}

/** Contexts in which the framework logs an error and also throws it, such as a failed provider or port. */
const startContexts = new Set<unknown>(['ExceptionHandler', 'NestApplication']);

const frameworkContexts = new Set<unknown>([
  ...['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestFactory'],
  // It reports a start before the port is open.
  'NestApplication',
]);

/** The framework's start-up messages help to debug it, and do not concern operators. */
export class QuietFrameworkLogger extends NestLogger {
  override log(message: unknown, ...optionalParams: unknown[]): void {
    if (frameworkContexts.has(optionalParams.at(-1))) this.debug(message, ...optionalParams);
    else super.log(message, ...optionalParams);
  }

  /** main reports the error that ends the start, in one line. */
  override error(message: unknown, ...optionalParams: unknown[]): void {
    if (startContexts.has(optionalParams.at(-1))) this.debug(message, ...optionalParams);
    else super.error(message, ...optionalParams);
  }
}
