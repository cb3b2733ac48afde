import type { CommandName } from '@libs/postgres';
import type { Crash } from '@libs/simulated-disk';
import type { KillOrder } from '../port-calls';
import type { PortfolioSpec } from '../../../apps/daemon/src/core/strategy-spec';
import type { Prices } from '../recorded-prices';
import type { Start } from '../starts';
import type { DiskFault, FaultStep, MarginMode, OperatorStep } from '../steps';

/** A fault of the daemon, or an action of its operator. */
export type DaemonAction =
  | { readonly kind: 'kill'; readonly downMs: number; readonly crash: Crash }
  | { readonly kind: 'kill at'; readonly order: KillOrder; readonly downMs: number; readonly crash: Crash }
  | { readonly kind: 'pause'; readonly ms: number }
  | { readonly kind: 'wall clock'; readonly byMs: number }
  | { readonly kind: 'disk'; readonly fault: DiskFault; readonly ms: number }
  /** The thread of a strategy ends; a share of their number says which. */
  | { readonly kind: 'lose thread'; readonly which: number }
  /** The configuration changes, and the daemon gets the command to read it. */
  | { readonly kind: 'reload'; readonly change: ReloadChange; readonly which: number }
  /** An operator ends the halt of a strategy, if it has one. */
  | { readonly kind: 'resume'; readonly which: number }
  /** An operator has all of a strategy closed; a share of their number says of which. */
  | { readonly kind: 'flatten'; readonly which: number }
  /** An operator states what became of the requests whose outcome the daemon cannot resolve. */
  | { readonly kind: 'settle' }
  /** The daemon is stopped as by SIGTERM, and started again later. */
  | { readonly kind: 'stop'; readonly downMs: number }
  /** The host cannot reach any gateway. */
  | { readonly kind: 'isolation'; readonly ms: number; readonly silent: boolean };

/** What befalls one command: it never arrives, arrives when its host has given up, or is not answered. */
export type DatabaseTrouble = 'lose-request' | 'late' | 'lose-answer';

/**
 * Something that befalls the database of a fleet, or the way to it.
 * @param host which one; absent: all
 * @param command that it can befall; absent: all
 */
export type DatabaseAction =
  | { readonly kind: 'database cut'; readonly ms: number; readonly silent: boolean; readonly host?: number }
  | { readonly kind: 'database slow'; readonly ms: number; readonly delayMs: number; readonly host?: number }
  | {
      readonly kind: 'database trouble';
      readonly trouble: DatabaseTrouble;
      readonly command?: CommandName;
      readonly host?: number;
    }
  | { readonly kind: 'server clock'; readonly byMs: number };

export const appliedChanges = ['same', 'limits', 'remove', 'remove', 'bring back'] as const;

/**
 * An order of the operator to a fleet: `daemon move`, `daemon drain` and `daemon apply`.
 * @param which a share of the number of strategies or units
 * @param host which one a unit is moved to, or drains
 * @param refusedBy the host on which the version is refused for a while; null: none
 */
export type FleetOrder =
  | { readonly kind: 'move'; readonly which: number; readonly host: number }
  | { readonly kind: 'drain'; readonly host: number; readonly undo: boolean }
  | {
      readonly kind: 'apply';
      readonly change: (typeof appliedChanges)[number];
      readonly which: number;
      readonly refusedBy: number | null;
      readonly refusedMs: number;
    };

export const reloadChanges = ['text', 'limits', 'remove', 'bring back', 'refused'] as const;

/** `text`: another text of a strategy; `limits`: other limits; `remove`, `bring back`: a strategy; `refused`: a broken file. */
export type ReloadChange = (typeof reloadChanges)[number];

/** A fault of the connection from the daemon to a gateway. */
export type WayAction =
  { readonly kind: 'outage'; readonly ms: number; readonly silent: boolean } | { readonly kind: 'cut streams' };

/** What happens, and to whom: to a daemon (the first one if absent), to the database, to the fleet, or to a gateway by its number. */
export type WholeAction =
  | { readonly at: 'daemon'; readonly host?: number; readonly action: DaemonAction }
  | { readonly at: 'database'; readonly action: DatabaseAction }
  | { readonly at: 'fleet'; readonly action: FleetOrder }
  | { readonly at: number; readonly action: FaultStep | OperatorStep | WayAction };

/** Something that happens at an instant, in virtual milliseconds since the programs were ready. */
export type WholeStep = WholeAction & { readonly atMs: number; readonly id: number };

export interface FleetPlan {
  readonly hosts: number;
  readonly leaseSeconds: number;
  /** Whether the hosts run the newest version that was applied; if absent, each reads the same file. */
  readonly isApplied?: boolean;
}

/** All that a run of the daemon and its gateways depends on: the same plan gives the same run, byte for byte. */
export interface WholePlan {
  readonly program: 'whole';
  readonly seed: string;
  /** When faults and entries end, and only what is open goes on. */
  readonly lengthMs: number;
  /** How many gateways there are, each with an account of its own. */
  readonly gateways: number;
  /** Several daemons that share leases in a database; if absent, there is one daemon without a database. */
  readonly fleet?: FleetPlan;
  /** How each account keeps positions, by the number of its gateway; hedging if absent. */
  readonly marginModes?: readonly MarginMode[];
  /** What the brokers take of each deal for a lot; 0 if absent. */
  readonly commission?: number;
  /** The limits of a portfolio that two of the strategies are children of; there is none if absent. */
  readonly portfolio?: PortfolioSpec['risk'];
  /** Whether a strategy changes its pending orders and places them in groups; it does not if absent. */
  readonly changesOrders?: boolean;
  /** Whether strategies trail the stop-losses of their positions; they do not if absent. */
  readonly trails?: boolean;
  readonly start?: Start;
  readonly prices?: Prices;
  /** Settings of the gateways. */
  readonly settings: Readonly<Record<string, string>>;
  readonly steps: readonly WholeStep[];
}
