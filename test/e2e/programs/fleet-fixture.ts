import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from './postgres';
import { repository } from './started-program';

const file = join(repository, 'test/fixtures/fleet/trading.sql');

/** Puts the tables of the fixture into the schema of a server that has none yet, as the daemon's role. */
export function restoreFleet(server: PostgresServer): void {
  server.sql('trading', `set role trading_daemon; ${readFileSync(file, 'utf8')}`);
  // They were held when the fixture was made, which the clock of a machine may take for the future.
  server.sql('trading', `update trading.lease set expires_at = now() - interval '1 minute'`);
}
