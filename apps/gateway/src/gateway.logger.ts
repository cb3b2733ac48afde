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

const frameworkContexts = new Set<unknown>(['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestFactory']);

/** The framework's own start-up chatter is for debugging it, not for operators. */
export class QuietFrameworkLogger extends NestLogger {
  override log(message: unknown, ...optionalParams: unknown[]): void {
    if (frameworkContexts.has(optionalParams.at(-1))) this.debug(message, ...optionalParams);
    else super.log(message, ...optionalParams);
  }

  /** What ends the start is reported by main, in one line. */
  override error(message: unknown, ...optionalParams: unknown[]): void {
    if (optionalParams.at(-1) === 'ExceptionHandler') this.debug(message, ...optionalParams);
    else super.error(message, ...optionalParams);
  }
}
