import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { Registry } from 'prom-client';

/** The application's own registry: two applications in one process never share a metric. */
export class MetricsRegistry extends Registry {
  private rendering: Promise<string> | null = null;

  /** Rendered once per turn of the event loop, regardless of the number of callers. */
  override metrics(): Promise<string> {
    if (this.rendering === null) {
      this.rendering = super.metrics();
      setImmediate(() => (this.rendering = null));
    }
    return this.rendering;
  }
}

/** prom-client calls these counters by their names but exports gauges, which Prometheus' linter rejects. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Provides {@link MetricsRegistry} everywhere, filled with the process defaults, and mounts the page's controller. */
@Module({})
export class MetricsModule {
  static register(options: { readonly controller: Type<unknown> | null }): DynamicModule {
    const registry = new MetricsRegistry();
    const { controller } = options;
    const defaultMetrics = { enabled: true, config: { register: registry } };
    const imports = controller === null ? [] : [PrometheusModule.register({ controller, defaultMetrics })];
    for (const name of misnamed) registry.removeSingleMetric(name);
    return {
      module: MetricsModule,
      global: true,
      imports,
      providers: [{ provide: MetricsRegistry, useValue: registry }],
      exports: [MetricsRegistry],
    };
  }
}
