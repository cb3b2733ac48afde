import type { Clock, Timer } from '@libs/clock';
import type { Logger } from 'pino';
import { guarded } from '../guarded';
import type { Portfolio } from './portfolio';

/** Interval of the checks of portfolio limits. */
const watchEveryMs = 1_000;

/** Checks the limits of all portfolios until cancelled; an error of one does not affect the others. */
export function watchPortfolios(portfolios: () => readonly Portfolio[], clock: Clock, logger: Logger): Timer {
  return clock.every(watchEveryMs, () => {
    for (const portfolio of portfolios()) {
      guarded(logger, `portfolio ${portfolio.spec.name} could not be checked against its limits`, () =>
        portfolio.watch(),
      );
    }
  });
}
