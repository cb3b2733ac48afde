import type { Step } from './decide-signal';
import type { Signal } from './signal';

/** What became of a request. `placed`: the broker accepted it, and no fill is seen; as a pending order waits. */
const stepStates = ['done', 'placed', 'partly_done', 'rejected', 'refused', 'expired', 'unknown'] as const;
export type StepState = (typeof stepStates)[number];

/**
 * What became of an alert. `accepted`: on disk, and nothing is sent. `working`: its requests are decided. The other states
 * are final, `unknown` once it has ended: an operator accepted it.
 */
export const signalStates = ['accepted', 'working', ...stepStates, 'nothing_to_do'] as const;
export type SignalState = (typeof signalStates)[number];

export interface StepResult {
  readonly state: StepState;
  readonly text: string;
  /** Ticket of the order; null if there is none, or it is not known. */
  readonly order: number | null;
}

/** An alert with what became of it, as it is on disk. */
export interface SignalRow {
  readonly number: number;
  readonly source: string;
  /** The same for every delivery of the alert, and for no other one. The keys of its requests begin with it. */
  readonly identity: string;
  /** Under what a delivery finds it; null for one that was refused when it came. */
  readonly slot: string | null;
  /** Of all its fields, without the secret. */
  readonly digest: string;
  /** The alert as one line, without the secret. */
  readonly text: string;
  readonly receivedAtMs: number;
  /** Null for one that was not understood. */
  readonly signal: Signal | null;
  /** The symbol of the account. */
  readonly symbol: string;
  readonly state: SignalState;
  /** Why it is in its state; null if the state says it. */
  readonly reason: string | null;
  /** Decided once, so that every attempt sends the same; null while it is not. */
  readonly steps: readonly Step[] | null;
  /** Of the first steps, in order. */
  readonly results: readonly StepResult[];
  /** What shows that alerts of the source were lost. */
  readonly gap: string | null;
  readonly endedAtMs: number | null;
}

/** Alerts of one lane are executed one after the other. */
export function laneOf({ source, symbol }: Pick<SignalRow, 'source' | 'symbol'>): string {
  return `${source} ${symbol}`;
}

/** The key of a request, the same at every attempt. */
export function keyOfStep({ identity }: Pick<SignalRow, 'identity'>, index: number): string {
  return `signal-${identity}-${index + 1}`;
}

/** The state that follows from the results of all steps that were made. */
export function stateOfResults(results: readonly StepResult[]): StepState {
  const last = results.at(-1)?.state ?? 'done';
  if (last === 'unknown') return 'unknown';
  if (last === 'done' || last === 'placed') return results.some(({ state }) => state === 'placed') ? 'placed' : 'done';
  const isBegun = results.some(({ state }) => state === 'done' || state === 'placed');
  return isBegun ? 'partly_done' : last;
}
