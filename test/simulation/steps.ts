import type { Crash } from '@libs/simulated-disk';
import type { Fault } from '@libs/simulator';
import type { AskKind } from './asks';
import type { Temper } from './bot';
import type { HttpTrouble } from './http-path';
import type { SendTrouble } from './link-weather';
import type { KillOrder } from './port-calls';
import type { Start } from './starts';

/** A trade request of a client. */
export interface AskStep {
  readonly kind: 'ask';
  readonly ask: AskKind;
  readonly temper: Temper;
  /** Which of the positions or orders there are: a share of their number. */
  readonly which: number;
  /** Carries the same marks as other requests of its kind. */
  readonly alike: boolean;
  /** Says that it is meant for an account other than the one that the gateway trades for. */
  readonly stray?: boolean;
  /** Belongs to a strategy with a lease. */
  readonly fence?: FencedAsk;
  /** Closes only the positions that are like one of those there are. */
  readonly only?: CloseLimit;
  /** The pending order that it places or changes expires so many virtual milliseconds later. */
  readonly expiresInMs?: number;
}

/** In what positions are alike. */
export type CloseLimit = 'symbol' | 'magic' | 'side';

/** Strategies with a lease. */
export type FenceName = 'trend' | 'range';

/** A request of a holder of a lease, or about a fenced strategy. */
export interface FencedAsk {
  readonly name: FenceName;
  /** How many leases before the newest its holder has; -1: a token of no lease; null: it names no fence. */
  readonly behind: number | null;
  /** Trades under the magic number that both strategies raise. */
  readonly shared: boolean;
}

/** What holders of leases do. */
export type FenceStep =
  /** A new holder takes the lease and raises the fence; `at`: at the moment of a call of the gateway. */
  | {
      readonly kind: 'raise a fence';
      readonly fence: FenceName;
      /** Takes the magic number that the other strategy may have. */
      readonly shared: boolean;
      readonly at?: { readonly port: string; readonly skip: number };
    }
  /** A holder of an earlier lease raises the fence as if it were the newest. */
  | { readonly kind: 'raise an older fence'; readonly fence: FenceName; readonly behind: number };

export type FaultStep =
  | { readonly kind: 'kill'; readonly downMs: number; readonly crash: Crash }
  | { readonly kind: 'kill at'; readonly order: KillOrder; readonly downMs: number; readonly crash: Crash }
  | { readonly kind: 'pause'; readonly ms: number }
  | { readonly kind: 'wall clock'; readonly byMs: number }
  | { readonly kind: 'cut'; readonly outageMs: number }
  | { readonly kind: 'slow link'; readonly meanMs: number; readonly ms: number }
  | { readonly kind: 'freeze'; readonly ms: number }
  | { readonly kind: 'send trouble'; readonly trouble: SendTrouble }
  | { readonly kind: 'http trouble'; readonly trouble: HttpTrouble }
  /** Without `ms` it ends on its own. */
  | { readonly kind: 'broker'; readonly fault: Fault; readonly ms?: number }
  | { readonly kind: 'disk'; readonly disk: DiskName; readonly fault: DiskFault; readonly ms: number }
  /** The gateway is killed, and its journal is gone when it starts again. */
  | { readonly kind: 'lose journal'; readonly downMs: number; readonly acceptedAfterMs: number };

/** The disk of the journal, and that of the audit log and the kill switch. */
export type DiskName = 'state' | 'log';

/** A fault of one of the machine's disks, for as long as it lasts. */
export type DiskFault = 'full' | 'read-only' | 'slow' | 'failing sync';

export type OperatorStep =
  | { readonly kind: 'halt'; readonly flatten: boolean }
  | { readonly kind: 'release' }
  /** The kill-switch file is created or removed by hand. */
  | { readonly kind: 'touch switch' }
  /** The same at the moment of a call of the gateway: between the checks of a request and its send. */
  | { readonly kind: 'touch switch at'; readonly port: string; readonly skip: number }
  | { readonly kind: 'remove switch' }
  | { readonly kind: 'rotate audit log' };

export type ReadStep = { readonly kind: 'read'; readonly url: string };

/** A client repeats a request that was done: a share of their number says which. */
export interface RepeatStep {
  readonly kind: 'repeat';
  readonly which: number;
  /** Uses the key of an order again, with other parameters. */
  readonly changed?: boolean;
  /** Uses the key of a request that was done, or is being handled, again with the same marks and this one member changed. */
  readonly other?: OtherMember;
}

/** What differs in another body under the same key. */
export type OtherMember = 'level' | 'volume';

export type Action = AskStep | FaultStep | FenceStep | OperatorStep | ReadStep | RepeatStep;

/** Something that happens so many virtual milliseconds after the gateway was ready. */
export interface TimedAction {
  readonly atMs: number;
  readonly action: Action;
}

/** Something that happens at an instant, in virtual milliseconds since the gateway was ready. */
export type Step = Action & { readonly atMs: number; readonly id: number };

/** When the gateway is taken to be ready, in virtual milliseconds since the start of a run. */
export const readyAtMs = 60_000;

/** `hedging`: each order opens a position; `netting`: a symbol has one position. */
export type MarginMode = 'hedging' | 'netting';

/** All that a run depends on: the same plan gives the same run, byte for byte. */
export interface Plan {
  readonly seed: string;
  /** When clients and faults end, and only what is open goes on. */
  readonly lengthMs: number;
  readonly settings: Readonly<Record<string, string>>;
  /** How the broker keeps positions; hedging if absent. */
  readonly marginMode?: MarginMode;
  /** What the broker takes of each deal for a lot; 0 if absent. */
  readonly commission?: number;
  readonly start?: Start;
  readonly steps: readonly Step[];
}
