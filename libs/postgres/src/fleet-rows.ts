/** Who takes leases. */
export interface Holder {
  /** Unlike that of every other start of any daemon. */
  readonly id: string;
  /** Name of the machine or container, for people. */
  readonly name: string;
  /** Most leases at once. */
  readonly capacity: number;
  readonly labels: readonly string[];
}

export interface HostRow {
  readonly id: string;
  readonly name: string;
  readonly capacity: number;
  readonly isDraining: boolean;
  readonly labels: readonly string[];
  /** Milliseconds since it was last seen, on the server's clock. */
  readonly ageMs: number;
  /** Leases that it holds. */
  readonly leases: number;
}

/** A lease that is free, or that is reserved for a host. */
export interface OpenLease {
  readonly name: string;
  readonly isFree: boolean;
  /** Id of the host that alone may take it; null if it is not reserved. */
  readonly reservedFor: string | null;
}

/** A host as operators see it. */
export interface FleetHost {
  /** Of one start of the daemon. */
  readonly id: string;
  readonly name: string;
  /** False for a host that was not seen for so long that its leases have ended. */
  readonly isRunning: boolean;
  readonly isDraining: boolean;
  /** Milliseconds since it was last seen, on the server's clock. */
  readonly ageMs: number;
  /** Most leases at once. */
  readonly capacity: number;
  readonly labels: readonly string[];
}

/** A lease as operators see it. */
export interface LeaseRow {
  readonly name: string;
  readonly token: number;
  /** Id of the holder; null while it is free. */
  readonly holder: string | null;
  /** Name of the holder's host; null while it is free, or if the host has no row any more. */
  readonly host: string | null;
  /** Milliseconds to its end, on the server's clock; 0 when it is free. */
  readonly remainingMs: number;
}

/** What a host has published last. */
export interface HostReport {
  /** Id of the host, and its name. */
  readonly id: string;
  readonly name: string;
  /** JSON; null before the host has published anything. */
  readonly report: string | null;
  /** Milliseconds since it was published, on the server's clock; null before. */
  readonly ageMs: number | null;
  /** Names of the leases that the host holds now. */
  readonly leases: readonly string[];
}

/** An applied configuration of the fleet. */
export interface StoredVersion {
  /** From 1, one more for each version. */
  readonly version: number;
  /** YAML. */
  readonly text: string;
}
