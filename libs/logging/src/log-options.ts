import { pino, type LoggerOptions } from 'pino';

/** The levels of LOG_LEVEL, which the log uses as well. */
export type LogLevel = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' | 'CRITICAL';

const pinoLevels: Readonly<Record<LogLevel, string>> = {
  DEBUG: 'debug',
  INFO: 'info',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'fatal',
};

const levelNames: Readonly<Record<string, LogLevel>> = {
  trace: 'DEBUG',
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARNING',
  error: 'ERROR',
  fatal: 'CRITICAL',
};

const keyRoles: ReadonlySet<unknown> = new Set(['primary', 'next', 'readonly', null]);

/**
 * Options of a program's log: one JSON object per line, with ISO-8601 time, level names of LOG_LEVEL and secrets
 * censored.
 * @param app name of the program, a member of every line
 */
export function logOptions(app: string, level: LogLevel): LoggerOptions {
  return {
    level: pinoLevels[level],
    base: { app },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: levelNames[label] ?? label }) },
    redact: {
      paths: ['password', 'token', 'authorization', 'api_key', '*.password', '*.token', '*.authorization', '*.api_key'],
      // The role of a key, as the audit log has it, is no secret.
      censor: (value: unknown, path: readonly string[]): unknown =>
        path.at(-1) === 'api_key' && keyRoles.has(value) ? value : '[redacted]',
    },
  };
}
