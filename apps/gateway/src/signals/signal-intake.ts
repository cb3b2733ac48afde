import { createHash } from 'node:crypto';
import type { Clock } from '@libs/clock';
import { ApiError, validationError, type FieldProblem } from '@libs/envelope';
import { StoreWriteError } from '@libs/store';
import { countText } from '@libs/records';
import { quoted, type AlertFields } from './alert-fields';
import { readSignal } from './read-signal';
import { mayEnter, type Signal } from './signal';
import { laneOf, type SignalRow } from './signal-row';
import type { SignalSource } from './signal-source';
import type { LaneOrder, LaneProblem, SignalsStore } from './signals.store';

/** Alerts that wait for their execution at one time; each is small. */
const mostWaiting = 10_000;
/** A clock of a source may be ahead of ours by that. */
const aheadMs = 60_000;
const longestText = 300;

export interface TakenSignal {
  readonly row: SignalRow;
  /** It is a repeated delivery of an alert that is on disk. */
  readonly isRepeated: boolean;
}

/** What the intake hands on. */
export interface IntakeEvents {
  /** An alert that is on disk and has to be executed. */
  accepted(row: SignalRow): void;
  /** Alerts before this one did not come. */
  gap(row: SignalRow, problem: LaneProblem): void;
  /** An alert that was refused when it came. */
  refused(row: SignalRow): void;
  readonly waiting: number;
}

/** Takes alerts in: each is on disk before it is accepted, and every delivery of it finds the same one. */
export class SignalIntake {
  /** Alerts that are being written, by slot. */
  private readonly writing = new Map<string, Promise<SignalRow>>();
  private readonly orders = new Map<string, LaneOrder>();

  constructor(
    private readonly store: SignalsStore,
    private readonly clock: Clock,
    private readonly events: IntakeEvents,
  ) {}

  /**
   * Resolves once the alert is on disk.
   * @throws ApiError validation_error if it is refused, idempotency_conflict if its id was used by another alert,
   * too_many_requests or journal_unavailable if it may be sent again
   */
  async take(source: SignalSource, alert: AlertFields): Promise<TakenSignal> {
    const read = readSignal(alert, source);
    const base = this.baseOf(source, alert);
    if (!read.ok) return this.refuse(source, base, null, read.problems);
    const { signal } = read;
    const slot = slotOf(source, signal, base.digest);
    const pending = this.writing.get(slot);
    const before = pending === undefined ? this.store.bySlot(slot) : await pending;
    if (before && this.isRepeated(source, signal, before, base.digest)) return { row: before, isRepeated: true };
    // Another delivery may have come during the wait. From here to the begin of the write there is none.
    if (pending !== undefined) return this.take(source, alert);
    const problems = this.problemsOf(source, signal);
    if (problems.length > 0) return this.refuse(source, base, signal, problems);
    const written = this.write(source, base, signal, slot);
    this.writing.set(slot, written);
    try {
      const row = await written;
      this.events.accepted(row);
      return { row, isRepeated: false };
    } finally {
      this.writing.delete(slot);
    }
  }

  /** Whether it is another delivery of a stored alert. @throws ApiError idempotency_conflict if its id is that of another one */
  private isRepeated(source: SignalSource, signal: Signal, row: SignalRow, digest: string): boolean {
    if (row.digest !== digest) {
      throw new ApiError('idempotency_conflict', `${nameOf(signal)} was used by another alert: ${quoted(row.text)}`);
    }
    const isForEver = hasIdentity(signal) || source.repeatMs === null;
    return isForEver || this.clock.nowMs() - row.receivedAtMs < source.repeatMs;
  }

  private problemsOf(source: SignalSource, signal: Signal): FieldProblem[] {
    const problems: FieldProblem[] = [];
    if (!source.verbs.includes(signal.verb)) {
      problems.push({ field: 'action', problem: `${signal.verb} is not permitted for this source` });
    }
    if (!source.symbols.has(signal.symbol)) {
      problems.push({ field: 'symbol', problem: `${quoted(signal.symbol)} is not in the symbols of this source` });
    }
    const ageMs = this.clock.nowMs() - (signal.timeMs ?? this.clock.nowMs());
    const mostMs = mayEnter(signal) ? source.maxAgeMs : source.maxExitAgeMs;
    if (ageMs > mostMs) {
      problems.push({
        field: 'time',
        problem: `the alert is ${seconds(ageMs)} old; ${signal.verb} of this source may be ${seconds(mostMs)} old`,
      });
    } else if (ageMs < -aheadMs) {
      problems.push({ field: 'time', problem: `is ${seconds(-ageMs)} ahead of the clock of the gateway` });
    }
    if (problems.length === 0) problems.push(...this.orderProblems(source, signal));
    return problems;
  }

  /** An alert that comes after a later one is refused: what it asks for is over. */
  private orderProblems(source: SignalSource, signal: Signal): FieldProblem[] {
    const last = this.orderOf(laneOfSignal(source, signal));
    const { timeMs, sequence } = signal;
    if (source.sequence === 'number' && sequence !== null && last?.sequence != null && sequence <= last.sequence) {
      return [{ field: 'seq', problem: `came after ${last.sequence}, which is later in the order of the source` }];
    }
    if (source.sequence === 'time' && timeMs !== null && last?.timeMs != null && timeMs < last.timeMs) {
      return [
        { field: 'time', problem: `came after an alert of ${new Date(last.timeMs).toISOString()}, which is later` },
      ];
    }
    return [];
  }

  private orderOf(lane: string): LaneOrder | undefined {
    return this.orders.get(lane) ?? this.store.order(lane);
  }

  private async write(source: SignalSource, base: Base, signal: Signal, slot: string): Promise<SignalRow> {
    if (this.events.waiting >= mostWaiting) {
      throw new ApiError('too_many_requests', `${mostWaiting} alerts wait for their execution: nothing was stored`, {
        headers: { 'retry-after': '5' },
      });
    }
    const row = this.rowOf(source, base, signal, slot);
    const lane = laneOf(row);
    const before = this.orderOf(lane);
    const { timeMs, sequence } = signal;
    const order = { timeMs: later(before?.timeMs, timeMs), sequence: later(before?.sequence, sequence) };
    this.orders.set(lane, order);
    try {
      await this.stored(row, order);
    } catch (error) {
      // A delivery that is repeated is not later than itself.
      if (this.orders.get(lane) === order) this.orders.delete(lane);
      throw error;
    }
    const missing =
      source.sequence === 'number' && before?.sequence != null && sequence !== null
        ? sequence - before.sequence - 1
        : 0;
    if (missing > 0) {
      const text = `${row.symbol}: ${countText(missing, 'alert')} before number ${sequence} did not come`;
      this.events.gap(row, { text, atMs: row.receivedAtMs, isGap: true });
    }
    return row;
  }

  private async stored(row: SignalRow, order: LaneOrder | null): Promise<void> {
    try {
      if (!this.store.condition.writable) {
        const condition = await this.store.probe();
        if (!condition.writable) throw new StoreWriteError(condition.reason);
      }
      await this.store.add(row, order);
    } catch (cause) {
      if (!(cause instanceof StoreWriteError)) throw cause;
      throw new ApiError('journal_unavailable', `the alert cannot be stored: ${cause.message}`, { cause });
    }
  }

  /** Nothing is done for a refused alert; it is kept for people. @throws ApiError validation_error */
  private async refuse(
    source: SignalSource,
    base: Base,
    signal: Signal | null,
    problems: readonly FieldProblem[],
  ): Promise<never> {
    const error = validationError(...problems);
    const row = this.rowOf(source, base, signal, null);
    const ended = { ...row, state: 'refused', reason: error.message, endedAtMs: row.receivedAtMs } as const;
    await this.store.add(ended, null).catch((cause: unknown) => {
      if (!(cause instanceof StoreWriteError)) throw cause;
    });
    this.events.refused(ended);
    throw error;
  }

  private rowOf(
    source: SignalSource,
    { digest, text, named }: Base,
    signal: Signal | null,
    slot: string | null,
  ): SignalRow {
    const number = this.store.nextNumber();
    const receivedAtMs = this.clock.nowMs();
    const isRepeatable = signal !== null && slot !== null && !hasIdentity(signal);
    const identity = isRepeatable
      ? hash(slot, receivedAtMs, number)
      : hash(slot ?? digest, slot === null ? number : '');
    return {
      number,
      source: source.name,
      identity,
      slot,
      digest,
      text,
      receivedAtMs,
      signal,
      symbol: source.symbols.get(signal?.symbol ?? named) ?? signal?.symbol ?? '',
      state: 'accepted',
      reason: null,
      steps: null,
      results: [],
      gap: null,
      endedAtMs: null,
    };
  }

  private baseOf({ name }: SignalSource, { fields }: AlertFields): Base {
    const shown = [...fields].filter(([field]) => field !== 'secret');
    const sorted = shown.map(([field, { value }]) => [field, value]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
    const isWord = ([field]: readonly [string, unknown]): boolean => field === 'action' || field === 'symbol';
    const others = shown.filter((one) => !isWord(one)).map(([field, { value }]) => `${field}=${value}`);
    const named = fields.get('symbol')?.value ?? '';
    const line = [fields.get('action')?.value, named, ...others].filter(Boolean).join(' ');
    const text = line.length > longestText ? `${line.slice(0, longestText)}…` : line;
    return { digest: hash(name, JSON.stringify(sorted)), text, named: named.trim() };
  }
}

interface Base {
  readonly digest: string;
  readonly text: string;
  /** Its symbol, as it is written. */
  readonly named: string;
}

function hasIdentity({ id, timeMs, sequence }: Signal): boolean {
  return id !== null || timeMs !== null || sequence !== null;
}

/** An alert with an id is that id; any other one is all that it says. */
function slotOf({ name }: SignalSource, { id, symbol }: Signal, digest: string): string {
  return id === null ? digest : hash(name, 'id', id, symbol);
}

function nameOf({ id }: Signal): string {
  return id === null ? 'the alert' : `id ${quoted(id)}`;
}

function laneOfSignal(source: SignalSource, { symbol }: Signal): string {
  return laneOf({ source: source.name, symbol: source.symbols.get(symbol) ?? symbol });
}

function later(before: number | null | undefined, now: number | null): number | null {
  if (before == null || now === null) return now ?? before ?? null;
  return Math.max(before, now);
}

function hash(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
