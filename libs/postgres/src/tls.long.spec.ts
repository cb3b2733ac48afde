import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithPostgres, PostgresServer } from '../../../test/e2e/programs/postgres';
import { repository } from '../../../test/e2e/programs/started-program';
import { Database } from './database';

const folder = mkdtempSync(join(tmpdir(), 'tls-'));

function openssl(...options: string[]): void {
  const result = spawnSync('openssl', options, { cwd: folder, encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`openssl failed: ${result.stderr}`);
}

/** Makes a certificate authority. @returns the path of its certificate */
function authority(name: string): string {
  const files = ['-keyout', `${name}.key`, '-out', `${name}.crt`];
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`, ...files);
  return join(folder, `${name}.crt`);
}

/** Makes a certificate for a server. @returns its PEM text and that of its key */
function certificate(issuer: string, subject: string): { readonly certificate: string; readonly key: string } {
  writeFileSync(join(folder, 'names'), `subjectAltName=${subject}`);
  const request = ['-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=server'];
  openssl('req', '-newkey', 'rsa:2048', '-nodes', ...request);
  const signed = ['-CA', `${issuer}.crt`, '-CAkey', `${issuer}.key`, '-CAcreateserial', '-extfile', 'names'];
  openssl('x509', '-req', '-days', '2', '-in', 'server.csr', '-out', 'server.crt', ...signed);
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { certificate: text('server.crt'), key: text('server.key') };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describeWithPostgres('a connection to another machine', () => {
  let server: PostgresServer;
  let port: number;
  let known: string;
  beforeAll(async () => {
    server = PostgresServer.start();
    port = await freePort();
    known = authority('known');
    authority('unknown');
  });
  afterAll(() => server.end());

  const serve = (issuer: string, subject: string): void => {
    const { certificate: crt, key } = certificate(issuer, subject);
    server.halt('fast');
    server.boot({ port, certificate: server.secret('server.crt', crt), key: server.secret('server.key', key) });
  };
  /** Connects as the daemon does. @returns how the server sees the connection, or why there is none */
  const connected = async (host: string): Promise<unknown> => {
    const url = `postgres://trading_daemon@${host}:${port}/trading?sslmode=verify-full&sslrootcert=${known}`;
    try {
      const database = await Database.open({ url, applicationName: 'test' });
      const [row] = await database.query({ text: 'select ssl from pg_stat_ssl where pid = pg_backend_pid()' });
      await database.close();
      return row;
    } catch (error) {
      return String(error);
    }
  };

  it('is encrypted to a server whose certificate has its name and a known authority', async () => {
    serve('known', 'DNS:localhost');
    expect(await connected('localhost')).toEqual({ ssl: true });
    // A name is not an address.
    expect(await connected('127.0.0.1')).toMatch(/does not match certificate/);
  });

  it('is made to the address that the certificate has', async () => {
    serve('known', 'IP:127.0.0.1');
    expect(await connected('127.0.0.1')).toEqual({ ssl: true });
    expect(await connected('localhost')).toMatch(/does not match certificate/);
  });

  it('is refused for another name, and for an unknown authority', async () => {
    serve('known', 'DNS:db.example');
    expect(await connected('localhost')).toMatch(/^Error: the database cannot be used: .*does not match certificate/);
    serve('unknown', 'DNS:localhost');
    expect(await connected('localhost')).toMatch(/^Error: the database cannot be used: .*certificate/);
  });
});

describeWithPostgres('the server of a test', () => {
  it('ends with the process that has started it, also when that is killed', async () => {
    const program = `globalThis.describe = Object.assign(() => {}, { skip() {} });
      require('./scripts/simulation/load-typescript.cjs');
      const { PostgresServer } = require('./test/e2e/programs/postgres.ts');
      console.log(PostgresServer.start().pid);
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['-e', program], { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(printed.toString());
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 100));
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
