import type { Clock } from '@libs/clock';
import type { AlertFields } from './alert-fields';
import type { SignalEvents } from './signal-events';
import { SignalIntake, type TakenSignal } from './signal-intake';
import type { SignalRow } from './signal-row';
import { SignalRunner, type RunnerParts } from './signal-runner';
import type { SignalMetrics } from './signals.metrics';
import type { SignalSource } from './signal-source';

/** Injection token of {@link Signals}; null without SIGNALS_FILE. */
export const SIGNALS = Symbol('SIGNALS');

/** A source with what waits, as GET /health shows it. */
export interface SourceReport {
  readonly name: string;
  readonly waiting: number;
  readonly unknown: number;
  readonly problem: string | null;
}

/** Which alerts to list. */
export interface SignalFilter {
  readonly source?: string | undefined;
  readonly state?: string | undefined;
  readonly after: number;
  readonly limit: number;
}

export interface SignalsParts extends Omit<RunnerParts, 'changed'> {
  readonly metrics: SignalMetrics;
  readonly events: SignalEvents;
}

/** Alerts of all sources, from their arrival to their end. */
export class Signals {
  private readonly intake: SignalIntake;
  private readonly runner: SignalRunner;

  constructor(private readonly parts: SignalsParts) {
    const { metrics, events } = parts;
    const changed = (row: SignalRow): void => {
      if (row.endedAtMs !== null) {
        metrics.ended(row.source, row.state);
        if (row.gap !== null) metrics.gap(row.source);
      }
      events.move();
    };
    const runner = new SignalRunner({ ...parts, changed });
    this.runner = runner;
    this.intake = new SignalIntake(parts.store, parts.clock, {
      accepted: (row) => {
        runner.add(row);
        events.move();
      },
      gap: (row, problem) => {
        metrics.gap(row.source);
        runner.note(row, problem);
      },
      refused: (row) => {
        runner.noteRefused(row);
        changed(row);
      },
      get waiting() {
        return runner.waiting();
      },
    });
    metrics.show(() => this.reports());
  }

  get clock(): Clock {
    return this.parts.clock;
  }

  source(name: string): SignalSource | undefined {
    return this.parts.sources.get(name);
  }

  /** Takes up what an earlier process left. */
  start(): void {
    this.runner.start();
    this.parts.events.move();
  }

  take(source: SignalSource, alert: AlertFields): Promise<TakenSignal> {
    return this.intake.take(source, alert);
  }

  /** Notes an alert of a source that was answered with an error and is not stored. @param text why */
  notTaken({ name }: SignalSource, text: string): void {
    this.runner.noteArrival(name, `an alert was refused: ${text}`);
  }

  /** The newest alerts, newest first. */
  list({ source, state, after, limit }: SignalFilter): SignalRow[] {
    const isWanted = (row: SignalRow): boolean =>
      (source === undefined || row.source === source) && (state === undefined || row.state === state);
    return this.parts.store.newest(limit, after, isWanted);
  }

  reports(): SourceReport[] {
    const { runner } = this;
    return [...this.parts.sources.keys()].map((name) => ({
      name,
      waiting: runner.waiting(name),
      unknown: runner.unknown(name),
      problem: runner.problem(name),
    }));
  }

  async stop(): Promise<void> {
    await this.runner.stop();
    await this.parts.events.stop();
  }

  close(): Promise<void> {
    return this.parts.store.close();
  }
}
