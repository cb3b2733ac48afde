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
