import type { fenceFields, RecordOf } from '@libs/records';

/** The fence that a trade request names: the name of a strategy, and the token of its lease. */
export interface Fence {
  readonly name: string;
  readonly token: number;
}

type Row = Readonly<RecordOf<typeof fenceFields>>;

/** A fence as the gateway keeps it. */
export interface FenceRecord extends Row {
  /** Magic numbers that only requests of this fence may use. */
  readonly magics: readonly number[];
}

/** Body of `PUT /fences/{strategy}`. */
export interface RaiseFenceRequest {
  readonly token: number;
  readonly magics?: readonly number[];
}
