import { Gauge } from 'prom-client';
import type { MetricsRegistry } from '@libs/metrics';
import type { Fences } from './fences';

/** Metrics of the fences; requests that they refuse are in `trade_refusals_total`. */
export class FenceMetrics {
  constructor(registry: MetricsRegistry, fences: Fences) {
    const registers = [registry];
    new Gauge({
      name: 'fence_token',
      help: 'Highest token of the fence of a strategy; while it is held, the token that a raise must exceed.',
      labelNames: ['strategy'] as const,
      registers,
      collect() {
        for (const { strategy, token } of fences.all()) this.set({ strategy }, token);
      },
    });
    new Gauge({
      name: 'fences_held',
      help: 'Fences whose requests are refused until they are raised again, because the trade journal was lost or restored.',
      registers,
      collect() {
        this.set(fences.all().filter(({ state }) => state === 'held').length);
      },
    });
  }
}
