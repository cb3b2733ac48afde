import { gauge } from '@libs/metrics';
import { Fences } from './fences';

/** Metrics of the fences; requests that they refuse are in `trade_refusals_total`. */
export const fenceMetrics = [
  gauge({
    name: 'fence_token',
    help: 'Highest token of the fence of a strategy; while it is held, the token that a raise must exceed.',
    labelNames: ['strategy'],
    inject: [Fences],
    collect(fences: Fences) {
      for (const { strategy, token } of fences.all()) this.set({ strategy }, token);
    },
  }),
  gauge({
    name: 'fences_held',
    help: 'Fences whose requests are refused until they are raised again, because the trade journal was lost or restored.',
    inject: [Fences],
    collect(fences: Fences) {
      this.set(fences.all().filter(({ state }) => state === 'held').length);
    },
  }),
];
