import { Client } from 'pg';
import { restoreFleet } from '../../../test/e2e/programs/fleet-fixture';
import { describeWithPostgres, PostgresServer } from '../../../test/e2e/programs/postgres';
import { migrate } from './migrate';
import { migrations, type Migration } from './migrations';

describeWithPostgres('the tables of an earlier step', () => {
  let server: PostgresServer;
  beforeAll(() => {
    server = PostgresServer.start();
    restoreFleet(server);
    server.sql('trading', 'alter schema trading rename to fixture');
  });
  afterAll(() => server.end());
  afterEach(() => server.sql('trading', 'drop schema trading cascade'));

  const linesOf = (text: string): readonly string[] => server.sql('trading', text).split('\n').filter(Boolean);
  /** Tables with their columns, without those of the migrations themselves. */
  const columns = (): ReadonlyMap<string, string> => {
    const rows = linesOf(`select table_name || ':' || string_agg(quote_ident(column_name), ',' order by column_name)
      from information_schema.columns where table_schema = 'trading' and table_name <> 'migration' group by table_name`);
    return new Map(rows.map((row) => [row.slice(0, row.indexOf(':')), row.slice(row.indexOf(':') + 1)]));
  };
  const rowsOf = (schema: string, table: string, names: string): readonly string[] =>
    linesOf(`select md5(row(${names})::text) from ${schema}.${table} order by 1`);
  const migrateTo = async (steps: readonly Migration[]): Promise<void> => {
    const connection = new Client({ connectionString: server.url });
    await connection.connect();
    await migrate(connection, steps).finally(() => connection.end());
  };

  it.each(migrations.map(({ number }) => number))(
    'have all their rows after the steps that follow step %i',
    async (step) => {
      server.sql('trading', 'create schema trading authorization trading_daemon');
      await migrateTo(migrations.filter(({ number }) => number <= step));
      const before = columns();
      for (const [table, names] of before) {
        server.sql('trading', `insert into trading.${table} (${names}) select ${names} from fixture.${table}`);
      }
      await migrateTo(migrations);
      expect(linesOf('select number from trading.migration order by number')).toHaveLength(migrations.length);
      expect(before.size).toBeGreaterThanOrEqual(3);
      for (const [table, names] of before) {
        const rows = rowsOf('trading', table, names);
        expect([table, rows]).toEqual([table, rowsOf('fixture', table, names)]);
        expect(rows.length).toBeGreaterThan(0);
      }
    },
  );
});
