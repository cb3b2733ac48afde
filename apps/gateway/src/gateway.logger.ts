import { Logger as NestLogger } from 'nestjs-pino';
import pino, { type DestinationStream, type Logger } from 'pino';
import type { GatewaySettings } from './gateway.config';

const pinoLevel: Record<GatewaySettings['LOG_LEVEL'], string> = {
  DEBUG: 'debug',
  INFO: 'info',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'fatal',
};

const levelName: Readonly<Record<string, string>> = {
  trace: 'DEBUG',
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARNING',
  error: 'ERROR',
  fatal: 'CRITICAL',
};

/** Structured logs on standard output: a JSON object a line, levels by the names of LOG_LEVEL, secrets censored. */
export function gatewayLogger(settings: Pick<GatewaySettings, 'LOG_LEVEL'>, destination?: DestinationStream): Logger {
  const options = {
    level: pinoLevel[settings.LOG_LEVEL],
    base: { app: 'gateway' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: levelName[label] ?? label }) },
    redact: {
      paths: ['password', 'token', 'authorization', 'api_key', '*.password', '*.token', '*.authorization', '*.api_key'],
      censor: '[redacted]',
    },
  };
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
