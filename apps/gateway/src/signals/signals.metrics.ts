import { Injectable } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import { counter, gauge } from '@libs/metrics';
import { signalStates, type SignalState } from './signal-row';

/** How the gateway answered an alert. */
export const arrivals = [
  'accepted',
  'repeated',
  'invalid',
  'conflict',
  'wrong_secret',
  'wrong_sender',
  'too_many',
  'not_stored',
] as const;
export type Arrival = (typeof arrivals)[number];

/** What waits, by source. */
export interface WaitingSignals {
  readonly name: string;
  readonly waiting: number;
  readonly unknown: number;
  readonly problem: string | null;
}

/** States in which an alert can end. */
const endStates = signalStates.filter((state) => state !== 'accepted' && state !== 'working');

/** Counts alerts. There are no series without SIGNALS_FILE. */
@Injectable()
export class SignalMetrics {
  /** What waits now; empty until it is shown. */
  reports: () => readonly WaitingSignals[] = () => [];

  constructor(
    @InjectMetric('signals_received_total') private readonly receivedTotal: Counter<'source' | 'answer'>,
    @InjectMetric('signals_ended_total') private readonly endedTotal: Counter<'source' | 'state'>,
    @InjectMetric('signals_gaps_total') private readonly gapsTotal: Counter<'source'>,
  ) {}

  /** Shows these sources from now on. */
  show(reports: () => readonly WaitingSignals[]): void {
    this.reports = reports;
    // From 0, so that the first one is an increase.
    for (const { name: source } of reports()) {
      for (const answer of arrivals) this.receivedTotal.inc({ source, answer }, 0);
      for (const state of endStates) this.endedTotal.inc({ source, state }, 0);
      this.gapsTotal.inc({ source }, 0);
    }
  }

  received(source: string, answer: Arrival): void {
    this.receivedTotal.inc({ source, answer });
  }

  ended(source: string, state: SignalState): void {
    this.endedTotal.inc({ source, state });
  }

  gap(source: string): void {
    this.gapsTotal.inc({ source });
  }
}

export const signalMetrics = [
  counter({
    name: 'signals_received_total',
    help: 'Deliveries of alerts to POST /signals, by source and answer.',
    labelNames: ['source', 'answer'],
  }),
  counter({
    name: 'signals_ended_total',
    help: 'Alerts of which nothing more is done, by source and final state.',
    labelNames: ['source', 'state'],
  }),
  counter({
    name: 'signals_gaps_total',
    help: 'Alerts that show that others before them did not come.',
    labelNames: ['source'],
  }),
  gauge({
    name: 'signals_problem',
    help: '1 while a source of signals has a problem, as in GET /health.',
    labelNames: ['source'],
    inject: [SignalMetrics],
    collect({ reports }: SignalMetrics) {
      for (const { name, problem } of reports()) this.set({ source: name }, problem === null ? 0 : 1);
    },
  }),
  gauge({
    name: 'signals_waiting',
    help: 'Alerts that are on disk and have not ended.',
    labelNames: ['source'],
    inject: [SignalMetrics],
    collect({ reports }: SignalMetrics) {
      for (const { name, waiting } of reports()) this.set({ source: name }, waiting);
    },
  }),
  gauge({
    name: 'signals_unknown',
    help: 'Alerts with a request of unknown outcome, which is looked up under its key.',
    labelNames: ['source'],
    inject: [SignalMetrics],
    collect({ reports }: SignalMetrics) {
      for (const { name, unknown } of reports()) this.set({ source: name }, unknown);
    },
  }),
];
