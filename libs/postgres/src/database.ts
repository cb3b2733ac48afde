import { Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import { databaseUrlProblem, requireDurable } from './database-checks';
import { DatabaseError, databaseProblem } from './database-error';
import { migrate } from './migrate';
import type { CommandArgs, CommandName, CommandResult, FleetDatabase } from './fleet-database';
import { fleetSql } from './fleet-sql';
import { releaseChannel } from './notifications';
import type { Query, Statement } from './query';

export interface DatabaseOptions {
  /** `postgres://user:password@host/database?sslmode=verify-full`; see {@link databaseUrlProblem}. */
  readonly url: string;
  /** Shown by the server beside its connections. */
  readonly applicationName: string;
  /** A connection or a statement that takes longer has failed. */
  readonly timeoutMs?: number;
  /** Most connections at once, besides one for notifications. */
  readonly connections?: number;
}

/** A PostgreSQL database with the tables of this product. Every statement is a transaction of its own. */
export class Database implements FleetDatabase {
  /** Ends each connection that listens. */
  private readonly listeners = new Set<() => void>();
  private isClosed = false;

  private constructor(private readonly pool: Pool) {
    // An idle connection that the server ends is replaced at the next statement, which reports its own error.
    pool.on('error', () => undefined);
  }

  /**
   * Connects, and brings the tables to this version.
   * @throws DatabaseError for a URL that is not safe, a server that cannot be reached or may lose a commit, and tables
   * that only a later version can read
   */
  static async open(options: DatabaseOptions): Promise<Database> {
    const { url, applicationName, timeoutMs = 5_000, connections = 4 } = options;
    const problem = databaseUrlProblem(url);
    if (problem !== null) throw new DatabaseError(`the URL of the database ${problem}`);
    const pool = new Pool({
      connectionString: url,
      application_name: applicationName,
      max: connections + 1,
      keepAlive: true,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      // A statement of a lost connection ends as well, so that it does not keep its rows locked.
      statement_timeout: 2 * timeoutMs,
    });
    const database = new Database(pool);
    try {
      await database.withConnection(async (connection) => {
        await requireDurable(connection);
        await migrate(connection);
      });
      return database;
    } catch (error) {
      await database.close();
      if (error instanceof DatabaseError) throw error;
      throw new DatabaseError(`the database cannot be used: ${databaseProblem(error)}`, { cause: error });
    }
  }

  /** @inheritDoc */
  call<Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<CommandResult<Name>> {
    return fleetSql[name](args, (statement) => this.query(statement));
  }

  /** Runs one statement in a transaction of its own. @throws Error of the connection or of the server */
  async query<Row extends QueryResultRow>({ name, text, values = [] }: Statement): Promise<Row[]> {
    const prepared = name === undefined ? {} : { name };
    const result: QueryResult<Row> = await this.pool.query<Row>({ ...prepared, text, values: [...values] });
    return result.rows;
  }

  /**
   * Runs statements in one transaction, which a server ends that hears nothing of it for ten seconds: its rows stay locked
   * no longer than that. When the answer to the commit is lost, this rejects although everything may be written.
   * @throws what the work throws, or Error of the connection or of the server; nothing is written then
   */
  async transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.withConnection(async (connection) => {
      await connection.query('begin');
      await connection.query(`set local idle_in_transaction_session_timeout = '10s'`);
      const result = await work(async <Row extends QueryResultRow>({ text, values = [] }: Statement) => {
        const { rows } = await connection.query<Row>({ text, values: [...values] });
        return rows;
      });
      await connection.query('commit');
      return result;
    });
  }

  /** @inheritDoc */
  async listen(onNotified: (payload: string) => void, onLost: () => void): Promise<() => void> {
    const connection = await this.pool.connect();
    // The pool gives it out although it is ending, and waits for its return.
    if (this.isClosed) {
      connection.release(true);
      throw new DatabaseError('the database was closed before it listened');
    }
    let isOpen = true;
    let isListening = false;
    const end = (): void => {
      if (!isOpen) return;
      isOpen = false;
      this.listeners.delete(end);
      connection.release(true);
    };
    this.listeners.add(end);
    connection.on('notification', ({ payload }) => onNotified(payload ?? ''));
    connection.on('error', () => {
      if (!isOpen) return;
      end();
      // Before it listens, the statement fails as well.
      if (isListening) onLost();
    });
    try {
      await connection.query(`listen ${connection.escapeIdentifier(releaseChannel)}`);
      // The server ended the connection along with its answer: there was no listener yet to report it to.
      if (!isOpen) throw new DatabaseError('the connection ended before it listened');
      isListening = true;
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  /** @inheritDoc */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const end of [...this.listeners]) end();
    await this.pool.end();
  }

  /** If the work fails, the connection ends, and its transaction with it. */
  private async withConnection<Result>(work: (connection: PoolClient) => Promise<Result>): Promise<Result> {
    const connection = await this.pool.connect();
    try {
      const result = await work(connection);
      connection.release();
      return result;
    } catch (error) {
      connection.release(true);
      throw error;
    }
  }
}
