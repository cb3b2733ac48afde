import type { Clock } from '@libs/clock';
import { ApiError, systemErrorText } from '@libs/envelope';
import { StoreWriteError } from '@libs/store';
import { decideSignal, type Decision, type Step } from './decide-signal';
import type { Attempted } from './signal-requests';
import type { SignalFacts } from './signal-facts';
import { mayEnter, type Signal } from './signal';
import { keyOfStep, laneOf, stateOfResults, type SignalRow, type SignalState, type StepResult } from './signal-row';
import type { SignalSource } from './signal-source';
import type { LaneProblem, SignalsStore } from './signals.store';

/** Between two attempts of what could not be done yet. */
const retryMs = 500;
/** A problem is shown for so long, unless a later alert ends it. */
const problemMs = 86_400_000;

const longestProblem = 300;

/** Lists that lag show an order within that time. */
const longestBehindMs = 60_000;
/** Alerts of an earlier process whose orders may not be shown yet are among so many. */
const mostRecalled = 1_000;

const lost = 'unknown_outcome: the journal has no record of the request any more';

/** Where alerts are executed. */
export interface SignalMarket {
  /** @param orders of earlier alerts, null for one that is not known: their effect has to be shown @throws ApiError also while it is not */
  readFacts(
    signal: Signal,
    symbol: string,
    source: SignalSource,
    orders: readonly (number | null)[],
  ): Promise<SignalFacts>;
  attempt(step: Step, key: string, source: SignalSource | undefined): Promise<Attempted>;
  /** Whether the journal has a record of the key. */
  isKnown(key: string): boolean;
  /** Whether an operator accepted that the outcome of the key stays unknown. */
  isAccepted(key: string): boolean;
}

interface RunnerLog {
  log(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface RunnerParts {
  readonly sources: ReadonlyMap<string, SignalSource>;
  readonly store: SignalsStore;
  readonly market: SignalMarket;
  readonly clock: Clock;
  readonly log: RunnerLog;
  /** Called with each change of an alert that is on disk. */
  readonly changed: (row: SignalRow) => void;
}

/** An order that an alert made. */
interface MadeOrder {
  /** Null if the broker acknowledged it without a ticket. */
  readonly order: number | null;
  /** When that was known, UTC milliseconds. */
  readonly atMs: number;
}

/** What is to be done next with an alert: nothing more now, or the same again later. */
type Turn = 'ended' | 'followed' | 'again';

/**
 * Executes alerts, those of one source and symbol one after the other, in the order in which they came. The decision is on
 * disk before its first request is made, and each request has a key of its own, so that whatever happens in between, another
 * attempt repeats the same request under the same key.
 */
export class SignalRunner {
  private readonly lanes = new Map<string, number[]>();
  /** Alerts with a request of unknown outcome, by number. */
  private readonly followed = new Map<number, string>();
  /** Orders of the last minute, by lane. */
  private readonly made = new Map<string, readonly MadeOrder[]>();
  private readonly problems: Map<string, LaneProblem>;
  private readonly work = new Set<Promise<void>>();
  private readonly sleeping = new Set<() => void>();
  private isStopping = false;

  constructor(private readonly parts: RunnerParts) {
    this.problems = parts.store.problems();
  }

  /** Alerts that have not ended, of one source; of all without one. */
  waiting(source?: string): number {
    const numbers = [...this.lanes].flatMap(([lane, waiting]) => (isOf(lane, source) ? waiting : []));
    return new Set([...numbers, ...this.unknownOf(source)]).size;
  }

  unknown(source: string): number {
    return this.unknownOf(source).length;
  }

  /** What is wrong with the alerts of a source; null if nothing is. */
  problem(source: string): string | null {
    const nowMs = this.parts.clock.nowMs();
    const current = [...this.problems].filter(([lane, { atMs }]) => isOf(lane, source) && nowMs - atMs <= problemMs);
    return current.length === 0 ? null : current.map(([, { text }]) => text).join('; ');
  }

  /** Takes up what an earlier process left, oldest first. */
  start(): void {
    const isLate = ({ endedAtMs }: SignalRow): boolean => this.isLate(endedAtMs ?? this.parts.clock.nowMs());
    for (const row of this.parts.store.newest(mostRecalled, 0, isLate)) {
      const atMs = row.endedAtMs ?? this.parts.clock.nowMs();
      for (const [index, result] of row.results.entries()) this.noteMade(row, row.steps?.[index], result, atMs);
    }
    for (const row of this.parts.store.unfinished()) this.add(row);
  }

  /** Executes an alert that is on disk. */
  add(row: SignalRow): void {
    const lane = laneOf(row);
    const waiting = this.lanes.get(lane);
    if (waiting) {
      waiting.push(row.number);
      return;
    }
    const numbers = [row.number];
    this.lanes.set(lane, numbers);
    this.begin(this.runLane(lane, numbers));
  }

  note(row: SignalRow, problem: LaneProblem): void {
    this.problems.set(laneOf(row), problem);
    this.begin(this.parts.store.put(row, problem));
  }

  /** Notes an alert that was refused when it came, for its symbol; for the whole source if it names none of it. */
  noteRefused(row: SignalRow): void {
    const symbols = [...(this.parts.sources.get(row.source)?.symbols.values() ?? [])];
    const lane = symbols.includes(row.symbol) ? laneOf(row) : arrivalLane(row.source);
    this.noteAt(lane, { text: textOf(row), atMs: row.receivedAtMs, isGap: false });
  }

  /** Notes that an alert of a source did not come in. */
  noteArrival(source: string, text: string): void {
    this.noteAt(arrivalLane(source), { text, atMs: this.parts.clock.nowMs(), isGap: false });
  }

  private noteAt(lane: string, problem: LaneProblem): void {
    const before = this.problems.get(lane);
    // Lost alerts are not made good by one that is refused.
    if (before?.isGap) return;
    this.problems.set(lane, problem);
    // A flood of the same costs one write a minute.
    if (before?.text === problem.text && problem.atMs - before.atMs < 60_000) return;
    this.begin(this.storeProblem(lane, problem));
  }

  /** Without a store, only this process knows it. */
  private async storeProblem(lane: string, problem: LaneProblem | null): Promise<void> {
    await this.parts.store.putProblem(lane, problem).catch((error: unknown) => {
      if (!(error instanceof StoreWriteError)) throw error;
    });
  }

  /** Begins nothing new; resolves once what is under way has ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const wake of this.sleeping) wake();
    await Promise.all(this.work);
  }

  private begin(work: Promise<void>): void {
    const done = work.catch((error: unknown) =>
      this.parts.log.error({ err: error }, 'internal error in the work on signals'),
    );
    this.work.add(done);
    void done.finally(() => this.work.delete(done));
  }

  private async runLane(lane: string, numbers: number[]): Promise<void> {
    for (let number = numbers[0]; number !== undefined && !this.isStopping; number = numbers[0]) {
      const turn = await this.turn(number);
      if (turn === 'again') {
        await this.pause();
        continue;
      }
      numbers.shift();
      if (turn === 'followed') {
        this.followed.set(number, lane);
        this.begin(this.follow(number));
      }
    }
    if (numbers.length === 0) this.lanes.delete(lane);
  }

  /** Until the outcome is known; meanwhile the next alerts of the lane may close, but not open. */
  private async follow(number: number): Promise<void> {
    while (!this.isStopping) {
      await this.pause();
      if (this.isStopping) return;
      if ((await this.turn(number)) === 'ended') break;
    }
    if (!this.isStopping) this.followed.delete(number);
  }

  /** One attempt. A failed write of the store is tried again: without it, nothing goes on. */
  private async turn(number: number): Promise<Turn> {
    const row = this.parts.store.row(number);
    if (!row || row.endedAtMs !== null) return 'ended';
    try {
      return row.steps === null ? await this.decide(row) : await this.proceed(row, row.steps);
    } catch (error) {
      this.parts.log.error({ err: error, signal: number }, 'a signal could not be worked on; it is tried again');
      return 'again';
    }
  }

  private async decide(row: SignalRow): Promise<Turn> {
    const { signal } = row;
    const source = this.parts.sources.get(row.source);
    if (signal === null || source === undefined) return this.end(row, 'refused', 'the source is not declared any more');
    if (this.isTooOld(row, source, mayEnter(signal)))
      return this.end(row, 'expired', row.reason ?? 'it waited too long');
    const decision = await this.decision(row, signal, source);
    if (typeof decision === 'string') return this.wait(row, decision);
    const { steps, refused, gap } = decision;
    const decided = { ...row, gap };
    if (refused !== null) return this.end(decided, 'refused', refused);
    if (steps.length === 0) return this.end(decided, 'nothing_to_do', null);
    const mayBeOpen = this.unknownOf(row.source).some((number) => this.followed.get(number) === laneOf(row));
    if (mayBeOpen && steps.some(({ addsRisk }) => addsRisk)) {
      return this.wait(row, 'the outcome of an earlier alert of the symbol is not known yet');
    }
    const working = { ...decided, state: 'working', reason: null, steps } as const;
    await this.save(working);
    return this.proceed(working, steps);
  }

  /** The decision, or why it cannot be made now. */
  private async decision(row: SignalRow, signal: Signal, source: SignalSource): Promise<Decision | string> {
    try {
      const lane = laneOf(row);
      const made = (this.made.get(lane) ?? []).filter(({ atMs }) => this.isLate(atMs));
      const facts = await this.parts.market.readFacts(
        signal,
        row.symbol,
        source,
        made.map(({ order }) => order),
      );
      // What was shown once stays shown.
      this.made.set(
        lane,
        (this.made.get(lane) ?? []).filter((one) => !made.includes(one)),
      );
      return decideSignal(signal, row.symbol, source, facts);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const text = `${error.errorType}: ${error.message}`;
      return error.errorType === 'not_found' || error.errorType === 'account_mismatch'
        ? { steps: [], refused: text, gap: null }
        : text;
    }
  }

  /** Makes the requests that are left, until one is not done. */
  private async proceed(row: SignalRow, steps: readonly Step[]): Promise<Turn> {
    let current = row;
    // The last result is that of an unknown outcome, or there is none for the next step.
    const isOpen = row.results.at(-1)?.state === 'unknown';
    for (let index = isOpen ? row.results.length - 1 : row.results.length; index < steps.length; index++) {
      const step = steps[index];
      if (step === undefined) break;
      const attempted = await this.attempt(
        current,
        step,
        keyOfStep(row, index),
        isOpen && index === row.results.length - 1,
      );
      if (attempted.state === 'later') return this.wait(current, attempted.text);
      this.noteMade(row, step, attempted, this.parts.clock.nowMs());
      const results = [...current.results.slice(0, index), attempted];
      current = { ...current, results };
      const { state } = attempted;
      if (state === 'unknown') return this.remainUnknown(row, current, keyOfStep(row, index), attempted.text);
      if (state !== 'done' && state !== 'placed') return this.end(current, stateOfResults(results), attempted.text);
      if (index < steps.length - 1) await this.save({ ...current, state: 'working', reason: null });
    }
    return this.end(current, stateOfResults(current.results), null);
  }

  /** @param isUnknown an attempt was made before, and its outcome is not known */
  private async attempt(row: SignalRow, step: Step, key: string, isUnknown: boolean): Promise<Attempted> {
    const { market, sources } = this.parts;
    const source = sources.get(row.source);
    // A key that the journal knows is answered, and nothing is sent for it.
    if (!market.isKnown(key)) {
      if (isUnknown) return { state: 'unknown', text: lost, order: null };
      if (source === undefined) return nothing('refused', 'the source is not declared any more');
      if (this.isTooOld(row, source, step.addsRisk)) return nothing('expired', row.reason ?? 'it waited too long');
    }
    try {
      return await market.attempt(step, key, source);
    } catch (error) {
      this.parts.log.error({ err: error, key }, 'internal error in a request of a signal');
      if (market.isKnown(key)) return { state: 'unknown', text: systemErrorText(error), order: null };
      return { state: 'later', text: systemErrorText(error) };
    }
  }

  /** It is followed until its outcome is known, or is never going to be. */
  private async remainUnknown(before: SignalRow, row: SignalRow, key: string, reason: string): Promise<Turn> {
    const { market } = this.parts;
    if (market.isAccepted(key)) return this.end(row, 'unknown', 'an operator accepted that the outcome stays unknown');
    if (!market.isKnown(key)) return this.end(row, 'unknown', lost);
    if (before.state !== 'unknown' || before.reason !== reason) await this.save({ ...row, state: 'unknown', reason });
    return 'followed';
  }

  /** Keeps the reason, for people; not more often than it changes. */
  private async wait(row: SignalRow, reason: string): Promise<Turn> {
    if (row.reason !== reason) await this.save({ ...row, reason });
    return 'again';
  }

  private async end(row: SignalRow, state: SignalState, reason: string | null): Promise<Turn> {
    const ended = { ...row, state, reason, endedAtMs: this.parts.clock.nowMs() };
    const problem = this.problemAfter(ended);
    await this.save(ended, problem);
    await this.endArrivalProblem(ended);
    const facts = { signal: row.number, source: row.source, alert: row.text, state, reason };
    if (isFine(state) && row.gap === null) this.parts.log.log(facts, 'signal ended');
    else this.parts.log.warn({ ...facts, gap: row.gap }, 'signal ended');
    return 'ended';
  }

  /** What is wrong with the lane after an alert: null is nothing, undefined what was wrong before. */
  private problemAfter(row: SignalRow): LaneProblem | null | undefined {
    const atMs = row.endedAtMs ?? row.receivedAtMs;
    if (row.gap !== null && row.signal?.verb !== 'target') return { text: row.gap, atMs, isGap: true };
    if (!isFine(row.state)) return { text: textOf(row), atMs, isGap: false };
    // An alert that came later may have failed already.
    if ((this.problems.get(laneOf(row))?.atMs ?? 0) > row.receivedAtMs) return undefined;
    const isHealed = row.signal?.verb === 'target' || row.signal?.verb === 'close' || row.signal?.before != null;
    return this.problems.get(laneOf(row))?.isGap && !isHealed ? undefined : null;
  }

  /** A later alert of the source came in, and ended well. */
  private async endArrivalProblem({ source, state, receivedAtMs }: SignalRow): Promise<void> {
    const lane = arrivalLane(source);
    const problem = this.problems.get(lane);
    if (problem === undefined || !isFine(state) || problem.atMs > receivedAtMs) return;
    this.problems.delete(lane);
    await this.storeProblem(lane, null);
  }

  private async save(row: SignalRow, problem?: LaneProblem | null): Promise<void> {
    // Before the write, so that memory and disk have the problems of a lane in the same order.
    if (problem) this.problems.set(laneOf(row), problem);
    else if (problem === null) this.problems.delete(laneOf(row));
    await this.parts.store.put(row, problem);
    this.parts.changed(row);
  }

  /** Notes an order that a request made: the lists may not show its effect yet. */
  private noteMade(row: SignalRow, step: Step | undefined, { state, order }: StepResult, atMs: number): void {
    const isExecuted = state === 'done' || state === 'placed' || state === 'partly_done';
    if (order === null && !(isExecuted && step?.addsRisk)) return;
    const lane = laneOf(row);
    const others = (this.made.get(lane) ?? []).filter((one) => this.isLate(one.atMs));
    this.made.set(lane, [...others, { order, atMs }]);
  }

  private isLate(atMs: number): boolean {
    return this.parts.clock.nowMs() - atMs < longestBehindMs;
  }

  private isTooOld(
    { receivedAtMs, signal }: SignalRow,
    { maxAgeMs, maxExitAgeMs }: SignalSource,
    addsRisk: boolean,
  ): boolean {
    const madeMs = Math.min(signal?.timeMs ?? receivedAtMs, receivedAtMs);
    return this.parts.clock.nowMs() - madeMs > (addsRisk ? maxAgeMs : maxExitAgeMs);
  }

  private unknownOf(source: string | undefined): number[] {
    return [...this.followed].filter(([, lane]) => isOf(lane, source)).map(([number]) => number);
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isStopping) return resolve();
      const wake = (): void => {
        timer.cancel();
        this.sleeping.delete(wake);
        resolve();
      };
      const timer = this.parts.clock.setTimer(retryMs, wake);
      this.sleeping.add(wake);
    });
  }
}

/** Where a problem of alerts stands that name no symbol of the source. */
function arrivalLane(source: string): string {
  return laneOf({ source, symbol: '' });
}

function textOf({ symbol, number, state, reason, text }: SignalRow): string {
  const whole = `${symbol === '' ? '' : `${symbol}: `}alert ${number} ${state}: ${reason ?? text}`;
  return whole.length > longestProblem ? `${whole.slice(0, longestProblem)}…` : whole;
}

function isFine(state: SignalState): boolean {
  return state === 'done' || state === 'placed' || state === 'nothing_to_do';
}

function isOf(lane: string, source: string | undefined): boolean {
  return source === undefined || lane.startsWith(`${source} `);
}

function nothing(state: 'refused' | 'expired', text: string): StepResult {
  return { state, text, order: null };
}
