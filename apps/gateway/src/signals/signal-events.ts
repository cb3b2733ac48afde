import type { Clock, Timer } from '@libs/clock';
import { systemErrorText } from '@libs/envelope';
import type { UnnumberedEvent } from '../streams/trade-event';
import { signalEntry } from './signals.response';
import type { SignalRow } from './signal-row';
import type { SignalSource } from './signal-source';
import type { SignalsStore } from './signals.store';

/** Changes that are moved in one write. */
const changesAtOnce = 200;
/** Between two attempts to write what could not be written. */
const retryMs = 1_000;

/** The event log, as far as signals need it. */
export interface SignalLog {
  /** Number of the last change that it has. */
  readonly lastSignal: number;
  /** @throws Error while it cannot be written */
  requireWritable(): Promise<void>;
  appendSignals(events: readonly UnnumberedEvent[], lastSignal: number): Promise<void>;
}

export interface SignalEventsParts {
  readonly store: SignalsStore;
  readonly log: SignalLog;
  readonly sources: ReadonlyMap<string, SignalSource>;
  readonly clock: Clock;
  /** The account that the gateway trades; null before the first session. */
  readonly account: () => { readonly login: number; readonly server: string } | null;
  readonly complain: (problem: string) => void;
}

/**
 * Moves the changes of alerts into the event log. They are on disk with the alerts until the log has them, and the log has
 * the number of the last one in the same commit: each is one event, wherever the process ends.
 */
export class SignalEvents {
  private moving: Promise<void> | null = null;
  /** A change may have come since the changes were looked at last. */
  private isAsked = false;
  private timer: Timer | null = null;
  private isStopping = false;
  private lastProblem = '';

  constructor(private readonly parts: SignalEventsParts) {}

  /** Moves what there is to move, now or as soon as it can be written. */
  move(): void {
    if (this.isStopping || this.timer !== null) return;
    this.isAsked = true;
    this.moving ??= this.moveAll();
  }

  /** Resolves once nothing is written any more; the next start moves the rest. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.timer?.cancel();
    await this.moving;
  }

  private async moveAll(): Promise<void> {
    try {
      while (this.isAsked) {
        this.isAsked = false;
        while (!this.isStopping && (await this.moveSome()));
      }
      this.lastProblem = '';
    } catch (error) {
      const problem = systemErrorText(error);
      if (problem !== this.lastProblem) this.parts.complain(problem);
      this.lastProblem = problem;
      this.retry();
    } finally {
      // In the turn that found nothing asked, so that a later change begins anew.
      this.moving = null;
    }
  }

  private async moveSome(): Promise<boolean> {
    const { store, log, account } = this.parts;
    const changes = store.changes(changesAtOnce);
    const last = changes.at(-1)?.number;
    if (last === undefined) return false;
    const { lastSignal } = log;
    const missing = changes.filter(({ number }) => number > lastSignal);
    if (missing.length > 0) {
      const of = account();
      if (of === null) {
        this.retry();
        return false;
      }
      await log.requireWritable();
      await log.appendSignals(
        missing.map(({ row }) => this.eventOf(row, of)),
        last,
      );
    }
    await store.forgetChanges(last);
    return true;
  }

  private eventOf(
    row: SignalRow,
    { login, server }: { readonly login: number; readonly server: string },
  ): UnnumberedEvent {
    const { clock, sources } = this.parts;
    const magic = sources.get(row.source)?.magic;
    return {
      event: 'signal',
      action: row.state,
      recorded_at: new Date(clock.nowMs()).toISOString(),
      login,
      server,
      symbol: row.symbol,
      ...(magic === undefined ? {} : { magic }),
      signal: signalEntry(row),
    };
  }

  private retry(): void {
    if (this.isStopping || this.timer !== null) return;
    this.timer = this.parts.clock.setTimer(retryMs, () => {
      this.timer = null;
      this.move();
    });
  }
}
