import type { HostRow, Lease, OpenLease } from '@libs/postgres';
import type { Departure, PlacedUnit, Situation, Unplaced } from './placement';

/** A lease as its holder knows it. Times are of the monotonic clock, in milliseconds. */
export interface HeldLease {
  /** Unlike that of every other lease that this host has taken since its start. */
  readonly id: number;
  /** Name of the unit, and the token that its row has. */
  readonly fence: Lease;
  /** When the statement was sent that took it or renewed it last. */
  readonly renewedMs: number;
  /** Why the unit is given to another host; null while it stays. */
  readonly leavingReason: string | null;
  /** Why it has ended; null while it may be held. */
  readonly endReason: string | null;
}

export interface KeeperSettings {
  /** Id of this host. */
  readonly id: string;
  /** Duration of a lease. */
  readonly leaseMs: number;
  /** Most leases at once. */
  readonly capacity: number;
}

export interface Holding {
  readonly lease: HeldLease;
  /** Whether the strategies of the unit may run: its fences are raised and its state is read. */
  readonly isPrepared: boolean;
  /** Whether the lease ended because the unit was given to another host. */
  readonly isGiven: boolean;
}

/** A statement of the database. */
export type LeaseRequest =
  | { readonly kind: 'renew'; readonly leases: readonly HeldLease[] }
  | { readonly kind: 'hosts'; readonly withinMs: number }
  | { readonly kind: 'open'; readonly names: readonly string[] }
  | { readonly kind: 'announce'; readonly names: readonly string[] }
  | {
      readonly kind: 'take';
      readonly names: readonly string[];
      readonly limit: number;
      readonly version: number | null;
      /** Whether the units are reserved for this host. */
      readonly isReserved: boolean;
    }
  | { readonly kind: 'unreserve'; readonly unit: string; readonly host: string }
  | { readonly kind: 'raise'; readonly lease: HeldLease; readonly stored: number }
  | { readonly kind: 'release'; readonly leases: readonly HeldLease[] }
  | { readonly kind: 'leave' };

export type LeaseAnswer =
  | { readonly kind: 'renewed'; readonly names: readonly string[] }
  | {
      readonly kind: 'hosts';
      readonly hosts: readonly HostRow[];
      /** All units of the configuration when the hosts were asked for, and its version; null: that of a file. */
      readonly units: readonly PlacedUnit[];
      readonly version: number | null;
    }
  | { readonly kind: 'open'; readonly open: readonly OpenLease[] }
  | { readonly kind: 'taken'; readonly leases: readonly Lease[] }
  | { readonly kind: 'raised'; readonly lease: Lease | null }
  | { readonly kind: 'done' };

/** What happens to the leases. `ask` is the number of a caller that waits; see the effect `reply`. */
export type KeeperEvent =
  /** Renew, and take what is free. */
  | { readonly kind: 'round'; readonly ask: number }
  | { readonly kind: 'answered'; readonly answer: LeaseAnswer }
  /** A statement failed: it may have been carried out. */
  | { readonly kind: 'failed'; readonly problem: string }
  /** A unit that was taken can run here. */
  | { readonly kind: 'prepared'; readonly lease: number; readonly unit: string }
  | { readonly kind: 'not prepared'; readonly lease: number; readonly unit: string; readonly problem: string }
  /** A gateway has a token as high as that of the lease. */
  | {
      readonly kind: 'raise';
      readonly lease: number;
      readonly unit: string;
      readonly stored: number;
      readonly ask: number;
    }
  | { readonly kind: 'end'; readonly lease: number; readonly reason: string }
  /** A unit that leaves has stopped, or the time for that is over. */
  | { readonly kind: 'handed over'; readonly unit: string }
  | { readonly kind: 'given up'; readonly unit: string; readonly problem: string }
  /** A unit has stopped here. */
  | { readonly kind: 'stopped'; readonly lease: number; readonly ask: number }
  | { readonly kind: 'discarded'; readonly lease: number; readonly ask: number | null }
  | { readonly kind: 'not discarded'; readonly unit: string; readonly problem: string; readonly ask: number | null }
  /** Take no more units. */
  | { readonly kind: 'drain' }
  /** All units have stopped: release everything. */
  | { readonly kind: 'stop'; readonly ask: number };

/** What is to be done, in the order of the list. */
export type KeeperEffect =
  /** Send a statement. The next one follows its answer. */
  | { readonly kind: 'send'; readonly request: LeaseRequest }
  | { readonly kind: 'prepare'; readonly lease: HeldLease }
  /** Let run what was prepared. */
  | { readonly kind: 'admit'; readonly lease: number }
  /** Close what was prepared, and report the problem as that of the preparation. */
  | { readonly kind: 'close'; readonly lease: number; readonly unit: string; readonly problem: string }
  | { readonly kind: 'discard'; readonly lease: number; readonly unit: string; readonly ask: number | null }
  /** The caller of an event has its answer. */
  | { readonly kind: 'reply'; readonly ask: number; readonly lease: Lease | null; readonly problem: string | null }
  /** A unit may start here, or has to stop. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'log'; readonly level: 'info' | 'error'; readonly fields: object; readonly text: string };

/** A step of a round; those that need a statement send it. */
export type Errand =
  | { readonly kind: 'renew' | 'hosts' | 'open' | 'give' | 'depart' }
  | {
      readonly kind: 'choose';
      readonly names: readonly string[];
      /** Most units of the names that this host has afterwards; null: as many as it has room for. */
      readonly share: number | null;
      /** Only units that no host has taken for the duration of a lease. */
      readonly isOverdue: boolean;
      readonly isReserved: boolean;
    }
  | { readonly kind: 'announce'; readonly names: readonly string[] }
  | {
      readonly kind: 'take';
      readonly names: readonly string[];
      readonly limit: number;
      readonly isReserved: boolean;
    }
  | { readonly kind: 'unreserve'; readonly unit: string; readonly host: string };

/** Work on the rows of the leases, one after the other: no statement names a token that another one raises meanwhile. */
export type Job =
  | {
      readonly kind: 'round';
      readonly errands: readonly Errand[];
      readonly version: number | null;
      readonly situation: Situation;
    }
  | {
      readonly kind: 'raise';
      readonly lease: number;
      readonly unit: string;
      readonly stored: number;
      readonly ask: number;
    }
  | { readonly kind: 'leave' }
  /** @see KeeperEvent `stopped`; without a lease: all */
  | { readonly kind: 'release'; readonly lease: number | null; readonly ask: number | null };

/** Everything that decides about the leases of a host; data only. */
export interface KeeperState {
  readonly format: 1;
  readonly phase: 'taking' | 'draining' | 'ended';
  readonly holdings: ReadonlyMap<string, Holding>;
  readonly lastId: number;
  /** When units that could not run here are tried again. */
  readonly notBeforeMs: ReadonlyMap<string, number>;
  /** The first one is in progress. */
  readonly jobs: readonly Job[];
  /** The statement that has no answer yet. */
  readonly sent: { readonly request: LeaseRequest; readonly atMs: number } | null;
  /** Whether the leases were renewed for the next statement. */
  readonly isRenewed: boolean;
  /** When the last renewal was sent. */
  readonly renewalSentMs: number | null;
  /** Rounds that renewed. */
  readonly rounds: number;
  /** Whether a round follows the one in progress. */
  readonly isDue: boolean;
  readonly roundAsks: readonly number[];
  /** Why the leases could not be renewed at the last attempt; null if they were. */
  readonly problem: string | null;
  readonly counts: { readonly taken: number; readonly lost: number; readonly given: number };
  /** Whether an operator has asked this host to give its units away. */
  readonly isDrained: boolean;
  readonly unplaced: readonly Unplaced[];
  readonly departures: readonly Departure[];
  /** The unit that left last, and how long the next one waits for a host to take it. */
  readonly lastLeft: { readonly unit: string; readonly untilMs: number } | null;
  /** Since when units are free, and when they were seen so. */
  readonly free: ReadonlyMap<string, { readonly sinceMs: number; readonly seenMs: number }>;
}

export const blankKeeper: KeeperState = {
  format: 1,
  phase: 'taking',
  holdings: new Map(),
  lastId: 0,
  notBeforeMs: new Map(),
  jobs: [],
  sent: null,
  isRenewed: false,
  renewalSentMs: null,
  rounds: 0,
  isDue: false,
  roundAsks: [],
  problem: null,
  counts: { taken: 0, lost: 0, given: 0 },
  isDrained: false,
  unplaced: [],
  departures: [],
  lastLeft: null,
  free: new Map(),
};

/** The same lease, ended; one that has ended keeps its reason. */
export function endedLease(lease: HeldLease, reason: string): HeldLease {
  return lease.endReason === null ? { ...lease, endReason: reason } : lease;
}

/** The same lease, renewed. @param sentMs when the statement was sent: its answer may have taken long */
export function renewedLease(lease: HeldLease, sentMs: number): HeldLease {
  return { ...lease, renewedMs: Math.max(lease.renewedMs, sentMs) };
}

/** The lease that a unit may run under now; null if it may not. */
export function runnableLease(state: KeeperState, unit: string): HeldLease | null {
  const holding = state.holdings.get(unit);
  return holding?.isPrepared === true && holding.lease.endReason === null ? holding.lease : null;
}

/** Whether a unit is about to be given to another host. */
export function isLeaving({ leavingReason, endReason }: HeldLease): boolean {
  return leavingReason !== null && endReason === null;
}
