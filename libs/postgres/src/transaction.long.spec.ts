import { describeWithPostgres, PostgresServer } from '../../../test/e2e/programs/postgres';
import { Database } from './database';

describeWithPostgres('a transaction', () => {
  let server: PostgresServer;
  let database: Database;
  beforeAll(async () => {
    server = PostgresServer.start();
    database = await Database.open({ url: server.url, applicationName: 'test', connections: 1 });
  });
  beforeEach(() => void server.sql('trading', 'truncate trading.lease'));
  afterAll(async () => {
    await database.close();
    server.end();
  });

  const named = (name: string) => ({ text: 'insert into lease (name) values ($1)', values: [name] });
  const names = (): string => server.sql('trading', 'select name from trading.lease order by name');

  it('writes all of it at its end, and locks nothing for longer when its program is paused', async () => {
    const result = await database.transaction(async (query) => {
      await query(named('a'));
      await query(named('b'));
      expect(names()).toBe('');
      return query<{ readonly limit: string }>({
        text: `select current_setting('idle_in_transaction_session_timeout') as limit`,
      });
    });
    expect([result, names()]).toEqual([[{ limit: '10s' }], 'a\nb']);
    const [after] = await database.query({
      text: `select current_setting('idle_in_transaction_session_timeout') as limit`,
    });
    expect(after).toEqual({ limit: '0' });
  });

  it('writes nothing of it when its work or a statement fails, and the next statement runs', async () => {
    const failed = database.transaction(async (query) => {
      await query(named('a'));
      throw new Error('changed its mind');
    });
    await expect(failed).rejects.toThrow('changed its mind');
    const refused = database.transaction(async (query) => {
      await query(named('a'));
      await query(named('a'));
    });
    await expect(refused).rejects.toThrow('duplicate key');
    expect(names()).toBe('');
    await database.query(named('c'));
    expect(names()).toBe('c');
  });
});
