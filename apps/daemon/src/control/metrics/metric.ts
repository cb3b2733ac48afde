import { Counter, Gauge, type Registry } from 'prom-client';
import type { Deployed } from '../deployed';

/** Label values and value of a sample; an unknown value has no sample. */
export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | null | undefined];

/** A metric that is read from memory at each scrape. */
export interface Metric {
  readonly kind: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly samples: (deployed: Deployed) => readonly Sample[];
}

/** Adds a metric to a registry. */
export function register({ kind, name, help, labels, samples }: Metric, deployed: Deployed, registry: Registry): void {
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  const known = (): readonly [Record<string, string>, number][] =>
    samples(deployed).flatMap(([of, value]): [Record<string, string>, number][] =>
      value === null || value === undefined ? [] : [[of, value]],
    );
  if (kind === 'gauge') {
    new Gauge({
      ...options,
      collect() {
        this.reset();
        for (const [of, value] of known()) this.set(of, value);
      },
    });
  } else {
    new Counter({
      ...options,
      collect() {
        this.reset();
        for (const [of, value] of known()) this.inc(of, value);
      },
    });
  }
}

/** One sample for each state, 1 for the current one. */
export function oneOf<State extends string>(
  states: readonly State[],
  current: State,
  labels: Readonly<Record<string, string>>,
): Sample[] {
  return states.map((state) => [{ ...labels, state }, state === current ? 1 : 0]);
}

/** A time in seconds since the epoch; null stays null. */
export function secondsOf(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : ms / 1_000;
}
