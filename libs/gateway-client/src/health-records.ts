import type {
  accountEvidenceFields,
  accountFactsFields,
  auditFields,
  connectionFields,
  differenceFields,
  daemonStrategiesFields,
  entryLimitFields,
  healthFields,
  journalFields,
  killSwitchFileFields,
  notificationChannelFields,
  readinessFields,
  RecordOf,
  serverTimeFields,
  setAsideNotificationFields,
  unexplainedFields,
} from '@libs/records';
import type { LastError } from './history-records';
import type { SignalSourceReport } from './signal-records';

type HealthRow = Readonly<RecordOf<typeof healthFields>>;
type ReadinessRow = Readonly<RecordOf<typeof readinessFields>>;
type AccountEvidenceRow = Readonly<RecordOf<typeof accountEvidenceFields>>;
/** What an account is, apart from its money. */
export type AccountFactsRecord = Readonly<RecordOf<typeof accountFactsFields>>;
type DifferenceRow = Readonly<RecordOf<typeof differenceFields>>;

export type SessionState = HealthRow['terminal_status'];

/** The gateway's durable memory of trade requests. */
export type JournalReport = Readonly<RecordOf<typeof journalFields>>;

/** The whole state of the gateway. A degraded gateway reports it as well. */
export interface HealthReport extends HealthRow {
  readonly kill_switch_file: KillSwitchFileReport;
  readonly audit: AuditReport;
  /** Core settings that are not set and are needed to log in, by name. */
  readonly missing_settings: readonly string[];
  readonly last_error: LastError | null;
  readonly connection: ConnectionReport;
  /** What the account is, apart from its money; null without one, missing from a gateway of an earlier version. */
  readonly account_facts?: AccountFactsRecord | null;
  /** Whether what the terminal shows of the account is explained; missing from a gateway of an earlier version. */
  readonly account_evidence?: AccountEvidenceReport;
  /** What the account and the journal disagree on now; missing from a gateway of an earlier version. */
  readonly differences?: readonly OpenDifference[];
  readonly server_time: ServerTimeReport;
  /** Each limit on entries that is set, with its current value; a limit per symbol has one row for each symbol. */
  readonly limits: readonly EntryLimitRecord[];
  readonly journal: JournalReport;
  /** The terminal that the gateway runs itself; null when it runs none. */
  readonly terminal_host: { readonly state: string; readonly message: string } | null;
  /** The channels of alerts; empty without any, missing from a gateway of an earlier version. */
  readonly notifications?: readonly NotificationChannel[];
  /** The sources of signals; empty without any, missing from a gateway of an earlier version. */
  readonly signals?: readonly SignalSourceReport[];
}

/** A difference between the account and the journal, and since when it is seen. */
export interface OpenDifference extends DifferenceRow {
  /** When it was first seen, UTC. */
  readonly since: string;
}

/** What the terminal shows of the account, and what of it nothing explains. */
export interface AccountEvidenceReport extends AccountEvidenceRow {
  readonly unexplained: readonly UnexplainedRow[];
}

/** One thing that the terminal shows and nothing explains. */
export type UnexplainedRow = Readonly<RecordOf<typeof unexplainedFields>>;

/** A channel of alerts, and what waits for it. */
export type NotificationChannel = Readonly<RecordOf<typeof notificationChannelFields>>;

/** A message that its receiver refused for a day. */
export type SetAsideNotification = Readonly<RecordOf<typeof setAsideNotificationFields>>;

/** A limit on entries: entries, lots or account currency, as the setting. */
export type EntryLimitRecord = Readonly<RecordOf<typeof entryLimitFields>>;

/** Whether the kill-switch file can be written; `missing`: halted in memory, without the file. */
export type KillSwitchFileReport = Readonly<RecordOf<typeof killSwitchFileFields>>;

/** Whether the audit log can be written; while it cannot, new risk is rejected. */
export type AuditReport = Readonly<RecordOf<typeof auditFields>>;

/** The session with the terminal. */
export type ConnectionReport = Readonly<RecordOf<typeof connectionFields>>;

/** The offset of the server's clock from UTC, and its source. */
export type ServerTimeReport = Readonly<RecordOf<typeof serverTimeFields>>;

/** Whether the gateway would take a trade request now, with the state of each check. */
export interface ReadinessReport extends ReadinessRow {
  /** `up`, `down` with its reason, or `unknown` if it cannot be judged without a session. */
  readonly checks: Readonly<Record<string, { readonly status: string; readonly reason?: string }>>;
}

type DaemonStrategiesRow = Readonly<RecordOf<typeof daemonStrategiesFields>>;

/** What the daemon that the gateway knows reports of its strategies. */
export interface DaemonStrategies extends DaemonStrategiesRow {
  /** As in the daemon's `GET /status`; null if it gave no list. */
  readonly strategies: readonly Readonly<Record<string, unknown>>[] | null;
}

/** The newest lines of the log of a strategy. */
export interface StrategyLog extends DaemonStrategiesRow {
  /** Oldest first: time, level and text of each; null if the daemon gave none. */
  readonly lines: readonly string[] | null;
}

/** What a strategy earned over time, and the backtest of it, as in the answers of the daemon. */
export interface StrategyResults extends DaemonStrategiesRow {
  /** As in the daemon's `GET /equity/NAME`; null if it gave none. */
  readonly equity: Readonly<Record<string, unknown>> | null;
  /** As in the daemon's `GET /backtest/NAME`; null if it gave none. */
  readonly backtest: Readonly<Record<string, unknown>> | null;
}
