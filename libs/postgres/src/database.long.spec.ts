import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describeWithPostgres, PostgresServer } from '../../../test/e2e/programs/postgres';
import { repository } from '../../../test/e2e/programs/started-program';
import { Database } from './database';
import { migrate } from './migrate';
import { migrations, type Migration } from './migrations';

describeWithPostgres('the database', () => {
  let server: PostgresServer;
  beforeAll(() => void (server = PostgresServer.start()));
  afterAll(() => server.end());
  const opened = (url = server.url): Promise<Database> => Database.open({ url, applicationName: 'test' });
  const newest = Math.max(...migrations.map(({ number }) => number));
  const ownSteps = migrations.map(({ number }) => number).join('\n');
  const steps = (): string => server.sql('trading', 'select number from trading.migration order by number');

  it('is migrated once by programs that start together, with the rights of one role in one schema', async () => {
    const databases = await Promise.all(Array.from({ length: 6 }, () => opened()));
    for (const database of databases) await database.close();
    expect(steps()).toBe(ownSteps);
    const foreign = `select count(*) from pg_class join pg_namespace n on n.oid = relnamespace
      where relowner = 'trading_daemon'::regrole and nspname not in ('trading', 'pg_toast')`;
    expect(server.sql('trading', foreign)).toBe('0');
  });

  it('serves two versions side by side, until a step needs the later one', async () => {
    const later: Migration[] = [
      ...migrations,
      { number: newest + 1, oldestReader: 1, sql: 'alter table host add column note text' },
    ];
    const last = { number: newest + 2, oldestReader: newest + 2, sql: 'alter table host drop column note' };
    await migrateTo(server, later);
    await (await opened()).close();
    await migrateTo(server, [...later, last]);
    await expect(opened()).rejects.toThrow(
      `the tables are of a later version: they need a program with step ${newest + 2}`,
    );
    server.sql('trading', `delete from trading.migration where number > ${newest}`);
    await (await opened()).close();
  });

  it('serves a program of the first version on the tables of this one', async () => {
    await (await opened()).close();
    await migrateTo(server, migrations.slice(0, 1));
    const seen = `insert into trading.host (id, name, seen_at, capacity) values ('old', 'old', now(), 3)
      on conflict (id) do update set seen_at = excluded.seen_at, capacity = excluded.capacity returning lease_ms`;
    expect(server.sql('trading', seen)).toBe('10000');
  });

  it('keeps nothing of a step that fails', async () => {
    const failing = { number: newest + 1, oldestReader: 1, sql: 'create table half (name text); select 1 / 0' };
    await expect(migrateTo(server, [...migrations, failing])).rejects.toThrow('division by zero');
    expect([steps(), server.sql('trading', `select to_regclass('trading.half')`)]).toEqual([ownSteps, '']);
  });

  it('has the role and the schema that docker-compose.fleet.yml and the manifests make', async () => {
    server.sql('trading', 'drop owned by trading_daemon cascade; drop role trading_daemon');
    const [, folder = ''] = /@([^/]+)\//.exec(server.url) ?? [];
    const made = spawnSync('sh', [join(repository, 'deploy/kubernetes/base/database.sh')], {
      env: {
        ...process.env,
        PGHOST: decodeURIComponent(folder),
        POSTGRES_USER: 'admin',
        DAEMON_DATABASE_PASSWORD: "it's",
      },
      encoding: 'utf8',
    });
    expect(made.stderr).toBe('');
    await (await opened()).close();
    expect(server.sql('trading', `select nspowner::regrole from pg_namespace where nspname = 'trading'`)).toBe(
      'trading_daemon',
    );
  });

  it('is closed also while it is about to listen', async () => {
    const database = await opened();
    // It takes the connection that is there.
    const query = database.query({ text: 'select pg_sleep(0.2)' });
    await new Promise((resolve) => setImmediate(resolve));
    const ignored = (): void => undefined;
    const listening = database.listen(ignored, ignored).catch((error: unknown) => String(error));
    await database.close();
    expect(await listening).toContain('closed before it listened');
    await query;
  });

  it('listens on a connection besides those for statements', async () => {
    const database = await Database.open({
      url: server.url,
      applicationName: 'test',
      connections: 1,
      timeoutMs: 1_000,
    });
    const ignored = (): void => undefined;
    await database.listen(ignored, ignored);
    expect(await database.query({ text: 'select 1 as one' })).toEqual([{ one: 1 }]);
    await database.close();
  });

  it('reports a connection that ends before it listens once: by the error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'way-'));
    const socket = '.s.PGSQL.5432';
    const way = createServer((near) => {
      const far = connect(join(server.socketFolder, socket));
      far.pipe(near);
      near.on('data', (bytes) => (bytes.includes('listen "lease_released"') ? near.destroy() : far.write(bytes)));
      near.on('close', () => far.destroy());
    });
    await new Promise<void>((resolve) => way.listen(join(folder, socket), resolve));
    const database = await opened(server.urlOf('trading_daemon', folder));
    let losses = 0;
    const ignored = (): void => undefined;
    const listening = database.listen(ignored, () => losses++);
    await expect(listening).rejects.toThrow('Connection terminated unexpectedly');
    expect(losses).toBe(0);
    await database.close();
    way.close();
  });

  it('reports a connection that ends along with the answer once: by the error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'way-'));
    const socket = '.s.PGSQL.5432';
    const way = createServer((near) => {
      const far = connect(join(server.socketFolder, socket));
      let isLast = false;
      near.on('data', (bytes) => {
        isLast = bytes.includes('listen "lease_released"');
        far.write(bytes);
      });
      far.on('data', (bytes) => (isLast ? near.end(Buffer.concat([bytes, shutDown])) : near.write(bytes)));
      near.on('close', () => far.destroy());
    });
    await new Promise<void>((resolve) => way.listen(join(folder, socket), resolve));
    const database = await opened(server.urlOf('trading_daemon', folder));
    let losses = 0;
    const ignored = (): void => undefined;
    const listening = database.listen(ignored, () => losses++);
    await expect(listening).rejects.toThrow('the connection ended before it listened');
    expect(losses).toBe(0);
    await database.close();
    way.close();
  });

  it('is refused where a commit could be lost, and where the role has no schema', async () => {
    server.sql('trading', 'alter role trading_daemon set synchronous_commit = off');
    await expect(opened()).rejects.toThrow('synchronous_commit is off');
    server.sql('trading', 'alter role trading_daemon reset synchronous_commit; create role bare login');
    await expect(opened(server.urlOf('bare'))).rejects.toThrow('the role has no schema');
  });

  it('is refused with the reason, and without the password, when it cannot be reached', async () => {
    const url = 'postgres://trading_daemon:sesame@127.0.0.1:1/trading';
    const refused: unknown = await opened(url).catch((error: unknown) => error);
    expect(String(refused)).toBe('Error: the database cannot be used: connect ECONNREFUSED 127.0.0.1:1');
  });
});

/** The message of a server that shuts down: ErrorResponse of the PostgreSQL protocol. */
const shutDown = ((): Buffer => {
  const fields = Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
  const head = Buffer.from('E....');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

async function migrateTo(server: PostgresServer, steps: readonly Migration[]): Promise<void> {
  const connection = new Client({ connectionString: server.url });
  await connection.connect();
  try {
    await migrate(connection, steps);
  } finally {
    await connection.end();
  }
}
