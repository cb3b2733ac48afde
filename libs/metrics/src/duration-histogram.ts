import { Histogram } from 'prom-client';

/** Seconds, from a read from memory to a trade that waits for its broker. */
export const histogramBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

type Configuration<Label extends string> = ConstructorParameters<typeof Histogram<Label>>[0];
type Labels<Label extends string> = Readonly<Record<Label, string>>;

/** The durations of one combination of labels. */
export class DurationSeries {
  /** Durations by the first bucket that holds them; the last element counts those beyond every bucket. */
  readonly counts: number[] = Array.from({ length: histogramBuckets.length + 1 }, () => 0);
  sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (seconds > (histogramBuckets[bucket] ?? Infinity)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }
}

/**
 * A histogram of durations in seconds whose series count by themselves. The histogram of prom-client validates and joins the
 * labels for each observation, which costs more than the rest of what is recorded about a light read.
 */
export class DurationHistogram<Label extends string> {
  private readonly all = new Map<DurationSeries, Labels<Label>>();

  constructor(configuration: Omit<Configuration<Label>, 'buckets'>) {
    const { name, help } = configuration;
    const values = (): object[] => [...this.all].flatMap(([series, labels]) => valuesOf(name, series, labels));
    // Registers itself.
    new CountedHistogram({ ...configuration, buckets: histogramBuckets }, () => ({ name, help, values: values() }));
  }

  /** A new series. The caller keeps it, and makes one for each combination of labels. */
  series(labels: Labels<Label>): DurationSeries {
    const series = new DurationSeries();
    this.all.set(series, labels);
    return series;
  }
}

/** What the registry sees: a histogram of prom-client with values from elsewhere. */
class CountedHistogram<Label extends string> extends Histogram<Label> {
  constructor(
    configuration: Configuration<Label>,
    private readonly counted: () => { readonly name: string; readonly help: string; readonly values: object[] },
  ) {
    super(configuration);
  }

  /** Where prom-client reads the values, for the text of the page and for `get`; its types do not declare it. */
  getForPromString(): Promise<object> {
    return Promise.resolve({ ...this.counted(), type: 'histogram', aggregator: 'sum' });
  }
}

/** The values in the shape of prom-client's own histogram. */
function valuesOf(
  name: string,
  { counts, sum }: DurationSeries,
  sharedLabels: Readonly<Record<string, string>>,
): object[] {
  const value = (suffix: string, labels: object, of: number): object => ({
    metricName: `${name}_${suffix}`,
    labels,
    sharedLabels,
    value: of,
  });
  let count = 0;
  const buckets = counts.map((inBucket, index) => {
    count += inBucket;
    return value('bucket', { le: histogramBuckets[index] ?? '+Inf' }, count);
  });
  return [...buckets, value('sum', {}, sum), value('count', {}, count)];
}
