import type { RecordOf, signalFields, signalSourceFields, signalStepFields } from '@libs/records';

/** A source of signals, and what is wrong with its alerts. */
export type SignalSourceReport = Readonly<RecordOf<typeof signalSourceFields>>;

/** A request of an alert. */
export type SignalRequest = Readonly<RecordOf<typeof signalStepFields>>;

type SignalRow = Readonly<RecordOf<typeof signalFields>>;

/** An alert, and what became of it. */
export interface SignalRecord extends SignalRow {
  readonly requests: readonly SignalRequest[];
}
