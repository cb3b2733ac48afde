import { Database, FleetTable } from '@libs/postgres';
import { readDaemonSettings } from '../daemon.config';
import { NoDaemonError } from './control-client';

/**
 * Connects to the database of the fleet for one command.
 * @throws NoDaemonError without DAEMON_DATABASE_URL
 * @throws DatabaseError
 */
export async function withFleet<Result>(
  work: (fleet: FleetTable, database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await Database.open({
    url: databaseUrl(),
    applicationName: 'trading-daemon command',
    connections: 1,
  });
  try {
    return await work(new FleetTable(database), database);
  } finally {
    await database.close();
  }
}

/** The URL of the database of the fleet. @throws NoDaemonError without DAEMON_DATABASE_URL */
export function databaseUrl(): string {
  const { DAEMON_DATABASE_URL: url } = readDaemonSettings();
  if (url === undefined) throw new NoDaemonError('there is no fleet: set DAEMON_DATABASE_URL to its database');
  return url;
}
