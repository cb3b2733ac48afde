import { Histogram, Registry } from 'prom-client';
import { DurationHistogram, histogramBuckets } from './duration-histogram';

const shape = { name: 'call_seconds', help: 'Time of a call.', labelNames: ['method', 'status'] as const };

describe('a histogram of durations', () => {
  it('renders what prom-client renders for the same durations', async () => {
    const [own, theirs] = [new Registry(), new Registry()];
    const counted = new DurationHistogram({ ...shape, registers: [own] });
    const reference = new Histogram({ ...shape, buckets: histogramBuckets, registers: [theirs] });
    const durations = [0, 0.0005, 0.00051, 0.3, 20, 20.1, 600];
    for (const labels of [
      { method: 'GET', status: '200' },
      { method: 'POST', status: '502' },
    ]) {
      const series = counted.series(labels);
      for (const seconds of durations) {
        series.observe(seconds);
        reference.observe(labels, seconds);
      }
    }
    expect(await own.metrics()).toBe(await theirs.metrics());
    expect(await own.getMetricsAsJSON()).toMatchObject([{ type: 'histogram', aggregator: 'sum' }]);
    expect(await own.metrics()).toContain('call_seconds_bucket{le="+Inf",method="GET",status="200"} 7');
  });

  it('shows a series before its first duration, and no series that was not made', async () => {
    const registry = new Registry();
    const histogram = new DurationHistogram({ ...shape, registers: [registry] });
    expect(await registry.metrics()).not.toContain('call_seconds_count');
    histogram.series({ method: 'GET', status: '200' });
    expect(await registry.metrics()).toContain('call_seconds_count{method="GET",status="200"} 0');
  });
});
