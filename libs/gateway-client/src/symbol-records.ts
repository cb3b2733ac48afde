import type { RecordOf, symbolListFields, symbolRowFields, terminalInfoFields } from '@libs/records';

/** The terminal's symbol record, all of it, with the time of its quote in UTC. Prices and volumes as the terminal has them. */
export type SymbolRecord = Readonly<RecordOf<typeof symbolRowFields>>;

/** A row of the broker's list of symbols. */
export type SymbolListRecord = Readonly<RecordOf<typeof symbolListFields>>;

/** The terminal itself. */
export type TerminalRecord = Readonly<RecordOf<typeof terminalInfoFields>>;
