import type { Clock } from '@libs/clock';
import type { HostRow, Lease, OpenLease } from '@libs/postgres';
import type { Logger } from 'pino';
import type { Shutdown } from '../shutdown';
import type { PlacedUnit } from './placement';
import type { UnitLease } from './unit-lease';

/** The rows of the leases, as `LeaseTable` has them. */
export interface Leases {
  announce(names: readonly string[]): Promise<void>;
  take(names: readonly string[], limit: number, version: number | null): Promise<readonly Lease[]>;
  renew(leases: readonly Lease[]): Promise<ReadonlySet<string>>;
  release(leases: readonly Lease[]): Promise<void>;
  leave(): Promise<void>;
  raiseAbove(lease: Lease, stored: number): Promise<Lease | null>;
  hosts(withinMs: number): Promise<readonly HostRow[]>;
  open(names: readonly string[]): Promise<readonly OpenLease[]>;
  unreserve(name: string, host: string): Promise<void>;
}

/** Raises the token of a lease that is being prepared. */
export interface TokenRaiser {
  /** @throws Error when the lease is lost */
  raiseAbove(lease: UnitLease, stored: number): Promise<Lease>;
}

/** A unit whose fences are raised and whose state is read. */
export interface PreparedUnit {
  /** Lets it run. Not called if its lease has ended, or was given back, while it was prepared. */
  admit(): void;
  /** Closes what was prepared and is not admitted. */
  close(): Promise<void>;
}

export interface KeeperOptions {
  readonly table: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** Of this start of the daemon, as its row has it. */
  readonly id: string;
  readonly capacity: number;
  /** That of the daemon. */
  readonly shutdown: Shutdown;
  /** All units of the configuration. */
  readonly units: () => readonly PlacedUnit[];
  /** Version of this configuration, later than which none may exist when a unit is taken; null: that of a file. */
  readonly version: () => number | null;
  /** Prepares a unit that was taken. @throws Error when it cannot run here now */
  readonly prepare: (lease: UnitLease, raiser: TokenRaiser) => Promise<PreparedUnit>;
  /** Closes what was prepared for a unit that no longer runs here. */
  readonly discard: (unit: string) => Promise<void>;
  /** Called when a unit is prepared, and when one has to stop. */
  readonly onChange: () => void;
}
