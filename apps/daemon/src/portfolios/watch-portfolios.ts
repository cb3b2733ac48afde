import type { Clock, Timer } from '@libs/clock';
import type { Logger } from 'pino';
import { guarded } from '../runtime/guarded';
import type { Portfolio } from './portfolio';

/** How often the limits of portfolios are looked at. */
const watchEveryMs = 1_000;

/** Holds every portfolio's limits until cancelled; one that cannot be watched keeps none of the others from it. */
export function watchPortfolios(portfolios: () => readonly Portfolio[], clock: Clock, logger: Logger): Timer {
  return clock.every(watchEveryMs, () => {
    for (const portfolio of portfolios()) {
      guarded(logger, `portfolio ${portfolio.spec.name} could not be watched`, () => portfolio.watch());
    }
  });
}
