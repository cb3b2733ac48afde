import type { Logger } from 'pino';

/** Runs the work of a timer: an error is logged and ends this run, never the process. */
export function guarded(logger: Logger, problem: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    logger.error({ err: error }, problem);
  }
}
