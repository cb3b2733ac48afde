export { DurationHistogram, DurationSeries, histogramBuckets } from './duration-histogram';
export { recordHttp } from './http-metrics';
export { MetricsModule, MetricsRegistry } from './metrics.module';
export { counter, gauge, histogram } from './own-metrics';
