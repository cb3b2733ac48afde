export type SessionState = 'disconnected' | 'connecting' | 'connected' | 'reconnecting' | 'cooldown';

/** The gateway's durable memory of trade requests. */
export interface JournalReport {
  /** Another id means another journal: it does not know what was sent before. Null while it cannot be written down. */
  readonly id: string | null;
  /** `unavailable` and `lost` refuse new risk; `lost` until an operator accepts the journal. */
  readonly state: 'ok' | 'unproven' | 'unavailable' | 'lost';
  /** Why the state is not ok. */
  readonly reason: string | null;
  /** Its last commit that is on disk. */
  readonly sequence: number;
}

/** The whole state of the gateway; it is told also while the gateway is degraded. */
export interface HealthReport {
  readonly status: 'healthy' | 'degraded';
  readonly terminal_status: SessionState;
  /** The login; null while no account is known. */
  readonly account: number | null;
  readonly uptime_seconds: number;
  readonly kill_switch_active: boolean;
  /** Whether the kill-switch file can be written; `missing`: halted in memory, without the file. */
  readonly kill_switch_file: { readonly state: 'ok' | 'unwritable' | 'missing'; readonly error: string | null };
  /** Whether the audit log can be written; while it cannot, new risk is rejected. */
  readonly audit: { readonly state: 'ok' | 'unavailable'; readonly error: string | null };
  readonly version: string;
  /** Core settings that are not set and are needed to log in, by name. */
  readonly missing_settings: readonly string[];
  readonly last_error: { readonly code: number; readonly message: string } | null;
  readonly connection: {
    readonly driver: string;
    /** ISO-8601 UTC. */
    readonly since: string;
    readonly attempts: number;
    readonly cooldown_remaining_seconds: number;
    readonly verified_age_seconds: number | null;
    /** Logins in a row that the broker refused; from the third on, the next follows after an hour. */
    readonly login_refusals: number;
  };
  /** How the server's clock stands to UTC, and how that is known. */
  readonly server_time: {
    readonly offset_seconds: number | null;
    readonly source: 'zone' | 'env' | 'derived' | null;
    readonly symbol: string | null;
    readonly derived_at: string | null;
    readonly age_seconds: number | null;
  };
  /** Each limit on entries that is set, with its current value; one row per symbol where it bounds each. */
  readonly limits: readonly EntryLimitRecord[];
  readonly journal: JournalReport;
  /** The terminal that the gateway looks after itself; null when it looks after none. */
  readonly terminal_host: { readonly state: string; readonly message: string } | null;
}

/** A limit on entries: entries, lots or account currency, as the setting. */
export interface EntryLimitRecord {
  /** Name of the setting. */
  readonly setting: string;
  /** Null for the whole account. */
  readonly symbol: string | null;
  readonly limit: number;
  /** Null while it cannot be read. */
  readonly value: number | null;
}

/** Whether the gateway would take a trade request now, and what each of its checks says. */
export interface ReadinessReport {
  readonly status: 'ready' | 'not_ready';
  readonly terminal_status: SessionState;
  readonly kill_switch_active: boolean;
  readonly checks: Readonly<Record<string, { readonly status: string }>>;
}
