import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Log of the framework: start-up messages at debug, problems at their own level. */
export class FrameworkLogger implements LoggerService {
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
