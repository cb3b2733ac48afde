import type { FleetHost, Holder, HostReport, HostRow, LeaseRow, OpenLease, StoredVersion } from './fleet-rows';
import type { Lease } from './lease';

/** An entry of a table of a lease's state. */
export interface EntryId {
  readonly table: string;
  readonly key: Buffer;
}

export interface Entry extends EntryId {
  readonly value: Buffer;
}

/** The state of a lease. */
export interface LeaseState {
  /** Number of writes so far; a text, because it is a bigint. */
  readonly commits: string;
  readonly entries: readonly Entry[];
}

/**
 * Everything that a fleet asks of its database, by name. Each command is a transaction of its own, and every time is of the
 * server's clock. A lease changes only for its holder, and only under the token that its row has.
 */
export interface FleetCommands {
  /** Makes the rows of leases that do not exist; they are free. */
  announce: { readonly args: { readonly names: readonly string[] }; readonly result: void };
  /**
   * Takes free leases, the first ones first, each under a token higher than all before. It passes over leases that another
   * holder is about to take, and takes none once a later version of the configuration was applied.
   */
  take: {
    readonly args: {
      readonly names: readonly string[];
      /** Most leases. */
      readonly limit: number;
      /** Id of the holder. */
      readonly holder: string;
      readonly leaseMs: number;
      /** Of the configuration; null: that of a file. */
      readonly version: number | null;
    };
    readonly result: readonly Lease[];
  };
  /** Renews leases, reports the host as seen, and forgets hosts that were not seen for a day. @returns names that are held */
  renew: {
    readonly args: { readonly leases: readonly Lease[]; readonly holder: Holder; readonly leaseMs: number };
    readonly result: readonly string[];
  };
  /** Gives leases back, and notifies the hosts of each. */
  release: { readonly args: { readonly leases: readonly Lease[]; readonly holder: string }; readonly result: void };
  /** Raises the token of a lease above another one. @returns null if another holder has it */
  raise: {
    readonly args: { readonly lease: Lease; readonly holder: string; readonly stored: number };
    readonly result: Lease | null;
  };
  /** Leases of a list that are free or reserved. One without a row is free. */
  open: { readonly args: { readonly names: readonly string[] }; readonly result: readonly OpenLease[] };
  /** Reserves a lease for a host, and notifies the hosts. @returns false if there is no such lease */
  reserve: {
    readonly args: { readonly unit: string; readonly host: string; readonly forMs: number };
    readonly result: boolean;
  };
  /** Ends a reservation for this host, and no other one. */
  unreserve: { readonly args: { readonly unit: string; readonly host: string }; readonly result: void };
  isReserved: { readonly args: { readonly unit: string; readonly host: string }; readonly result: boolean };
  /** All leases by name. */
  leases: { readonly args: object; readonly result: readonly LeaseRow[] };
  /** Removes the row of a host. */
  leave: { readonly args: { readonly host: string }; readonly result: void };
  /** Hosts that were seen within some time, by name. */
  seenHosts: { readonly args: { readonly withinMs: number }; readonly result: readonly HostRow[] };
  /** All hosts by name. @param leases how many of its leases a host that is not seen is taken for running */
  hosts: { readonly args: { readonly leases: number }; readonly result: readonly FleetHost[] };
  /** Marks the hosts of a name that run, and notifies them. @returns their ids */
  drain: {
    readonly args: { readonly name: string; readonly isDraining: boolean; readonly leases: number };
    readonly result: readonly string[];
  };
  /** Replaces the report of a host that has a row. */
  publish: { readonly args: { readonly host: string; readonly report: string }; readonly result: void };
  /** What the hosts have published, by name. */
  reports: { readonly args: object; readonly result: readonly HostReport[] };
  /** The newest version of the configuration; null before the first one. */
  newest: { readonly args: object; readonly result: StoredVersion | null };
  /** Its number; 0 before the first one. */
  newestVersion: { readonly args: object; readonly result: number };
  /** Adds a version, and notifies the hosts. @returns false if it exists already */
  apply: { readonly args: StoredVersion; readonly result: boolean };
  /** The state of a lease; null if its row has another token. */
  read: { readonly args: { readonly lease: Lease }; readonly result: LeaseState | null };
  /**
   * Changes the state of a lease, all of it or nothing.
   * @param commits that the state has had so far
   * @returns the number of commits with this one; null if the token or the number is another one, and nothing was changed
   */
  write: {
    readonly args: {
      readonly lease: Lease;
      readonly commits: string;
      readonly removed: readonly EntryId[];
      readonly puts: readonly Entry[];
    };
    readonly result: string | null;
  };
}

export type CommandName = keyof FleetCommands;
export type CommandArgs<Name extends CommandName> = FleetCommands[Name]['args'];
export type CommandResult<Name extends CommandName> = FleetCommands[Name]['result'];

/** The database of a fleet: a PostgreSQL server, or one in memory. */
export interface FleetDatabase {
  /** @throws Error of the connection or of the server; the command may have been carried out */
  call<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<CommandResult<Name>>;
  /**
   * Calls back for every notification: of a lease that was released, of an order of an operator, of a configuration. The
   * connection is not replaced when it is lost.
   * @param onLost called once, if the connection ends after it listened and before it is closed
   * @returns ends it
   * @throws Error of the connection
   */
  listen(onNotified: (payload: string) => void, onLost: () => void): Promise<() => void>;
  /** Ends listening, waits for commands under way, and ends the connections. */
  close(): Promise<void>;
}
