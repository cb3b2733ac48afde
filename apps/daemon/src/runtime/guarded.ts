import type { Logger } from 'pino';

/** Runs what a timer is for: an error ends this run of it and is logged, and never ends the process. */
export function guarded(logger: Logger, problem: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    logger.error({ err: error }, problem);
  }
}
