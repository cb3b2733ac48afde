export { histogramBuckets, recordHttp } from './http-metrics';
export { MetricsModule, MetricsRegistry } from './metrics.module';
