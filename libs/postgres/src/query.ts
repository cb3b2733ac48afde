import type { QueryResultRow } from 'pg';

/** A statement with its parameters; a name has the server prepare it once for each connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Runs one statement. @throws Error of the connection or of the server */
export type Query = <Row extends QueryResultRow>(statement: Statement) => Promise<Row[]>;
