import type { Provider } from '@nestjs/common';
import { makeCounterProvider, makeGaugeProvider, makeHistogramProvider } from '@willsoto/nestjs-prometheus';
import { Counter, Gauge, Histogram } from 'prom-client';
import { MetricsRegistry } from './metrics.module';

/** Provides a gauge by its name, for `InjectMetric`; its `collect` reads what is injected at each scrape. */
export function gauge(options: Parameters<typeof makeGaugeProvider>[0]): Provider {
  return inOwnRegistry(makeGaugeProvider({ ...options, registers: [] }));
}

/** The same for a counter. */
export function counter(options: Parameters<typeof makeCounterProvider>[0]): Provider {
  return inOwnRegistry(makeCounterProvider({ ...options, registers: [] }));
}

/** The same for a histogram. */
export function histogram(options: Parameters<typeof makeHistogramProvider>[0]): Provider {
  return inOwnRegistry(makeHistogramProvider({ ...options, registers: [] }));
}

/** The package has one registry for the process, which two applications in it would share. */
function inOwnRegistry(provider: Provider): Provider {
  if (typeof provider !== 'object' || !('useFactory' in provider)) throw new Error('the provider makes no metric');
  const { provide, inject = [], useFactory } = provider;
  return {
    provide,
    inject: [MetricsRegistry, ...inject],
    useFactory: async (registry: MetricsRegistry, ...injected: unknown[]) => {
      const metric: unknown = await useFactory(...injected);
      const isMetric = metric instanceof Counter || metric instanceof Gauge || metric instanceof Histogram;
      if (!isMetric) throw new Error('the provider makes no metric');
      registry.registerMetric(metric);
      return metric;
    },
  };
}
