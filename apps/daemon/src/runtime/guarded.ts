import type { Logger } from 'pino';

/** What a timer may run: an error ends this run of it and is logged, and never ends the process. */
export function guarded(logger: Logger, problem: string, run: () => void): () => void {
  return () => {
    try {
      run();
    } catch (error) {
      logger.error({ err: error }, problem);
    }
  };
}
