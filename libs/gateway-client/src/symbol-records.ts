import type { RecordOf, symbolListFields, symbolRowFields, terminalInfoFields } from '@libs/records';

/** The terminal's symbol record, all of it, with the time of its quote in UTC. Prices and volumes as the terminal has them. */
export type SymbolRecord = Readonly<RecordOf<typeof symbolRowFields>>;

/** A row of the broker's list of symbols. */
export type SymbolListRecord = Readonly<RecordOf<typeof symbolListFields>>;

/** The terminal itself. */
export type TerminalRecord = Readonly<RecordOf<typeof terminalInfoFields>>;

/** One time on both clocks: in UTC, and as an epoch of the server's clock in seconds. */
export interface ServerTimeRecord {
  readonly utc: string;
  readonly server_epoch: number;
  /** The server's clock minus UTC at that time. */
  readonly offset_seconds: number;
}
