import type { QueryResultRow } from 'pg';

/** A statement with its parameters; a name has the server prepare it once for each connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Runs one statement. @throws Error of the connection or of the server */
export type Query = <Row extends QueryResultRow>(statement: Statement) => Promise<Row[]>;

/** A database with the tables of this product: a PostgreSQL server, or one that is simulated. */
export interface SqlDatabase {
  /** Runs one statement in a transaction of its own. @throws Error of the connection or of the server */
  query<Row extends QueryResultRow>(statement: Statement): Promise<Row[]>;
  /**
   * Calls back for every notification of a channel. The connection is not replaced when it is lost.
   * @param onLost called once, if the connection ends after it listened and before it is closed
   * @returns ends it
   * @throws Error of the connection
   */
  listen(channel: string, onNotified: (payload: string) => void, onLost: () => void): Promise<() => void>;
  /** Ends listening, waits for statements under way, and ends the connections. */
  close(): Promise<void>;
}
