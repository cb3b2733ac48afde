import { spawn, spawnSync, type ChildProcessByStdio, type SpawnSyncReturns } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import { describeWhere } from './needs';
import { repository } from './started-program';

/** Debian keeps the server's programs of each version outside of the PATH. */
const debianFolder = '/usr/lib/postgresql';

const programs = ['initdb', 'pg_ctl', 'psql'];

/** The folder of the newest server, or undefined. */
function serverFolder(): string | undefined {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(debianFolder, version, 'bin'));
  const all = [...(process.env.PATH ?? '').split(delimiter), ...folders];
  return all.find((folder) => programs.every((program) => existsSync(join(folder, program))));
}

/** `describe` for a suite that needs a PostgreSQL server; where it is not installed, the suite is reported as not run. */
export const describeWithPostgres = describeWhere(serverFolder() !== undefined);

/** Waits for the end of its input, as at the death of the process that holds it; then ends a server and removes its folder. */
const endAfterParent = `cat > /dev/null
pid=$(head -n 1 "$1/data/postmaster.pid" 2> /dev/null) && kill -CONT "$pid" && kill -QUIT "$pid" && sleep 1
rm -rf "$1"`;

/** Where a server listens for encrypted connections: its port, and PEM files that the server's user can read. */
export interface TlsListener {
  readonly port: number;
  readonly certificate: string;
  readonly key: string;
}

/**
 * A PostgreSQL server of its own, in a temporary folder and on a Unix socket. It never runs as root, and ends with the
 * process that has started it, also when that is killed.
 */
export class PostgresServer {
  private readonly watcher: ChildProcessByStdio<Writable, null, null>;

  private constructor(
    private readonly folder: string,
    private readonly user: { readonly uid?: number; readonly gid?: number },
  ) {
    const stdio: ['pipe', 'ignore', 'ignore'] = ['pipe', 'ignore', 'ignore'];
    this.watcher = spawn('sh', ['-c', endAfterParent, 'sh', folder], { detached: true, stdio });
    this.watcher.unref();
    if (this.watcher.stdin instanceof Socket) this.watcher.stdin.unref();
  }

  /** Makes a server with a database `trading` and a role of its own, and starts it. */
  static start(): PostgresServer {
    const folder = mkdtempSync(join(tmpdir(), 'pg-'));
    const server = new PostgresServer(folder, unprivileged());
    const { uid, gid } = server.user;
    if (uid !== undefined && gid !== undefined) {
      // No other user may enter the folder of a test run.
      chmodSync(tmpdir(), statSync(tmpdir()).mode | 0o001);
      chownSync(folder, uid, gid);
    }
    server.run('initdb', '--pgdata', server.data, '--auth=trust', '--username=admin', '--encoding=UTF8', '--locale=C');
    try {
      server.boot();
      server.sql('postgres', 'create database trading');
      server.sql('trading', setUp());
      return server;
    } catch (error) {
      server.end();
      throw error;
    }
  }

  /** URL of the daemon's role. */
  get url(): string {
    return this.urlOf('trading_daemon');
  }

  /** @param folder of the socket; the server's own, or that of a way to it */
  urlOf(role: string, folder = this.folder): string {
    return `postgres://${role}@${encodeURIComponent(folder)}/trading`;
  }

  /** The folder of its socket. */
  get socketFolder(): string {
    return this.folder;
  }

  /** @param tls listens on localhost as well, by TLS only if the server has it */
  boot(tls?: TlsListener): void {
    const listener = tls
      ? `-c listen_addresses=localhost -p ${tls.port} -c ssl=on -c ssl_cert_file=${tls.certificate} -c ssl_key_file=${tls.key}`
      : '-c listen_addresses=';
    const options = `${listener} -c unix_socket_directories=${this.folder} -c max_connections=60`;
    const log = join(this.folder, 'log');
    this.run('pg_ctl', 'start', '--wait', '--silent', '--pgdata', this.data, '--log', log, '--options', options);
  }

  /** @param mode `immediate`: as if the machine lost power */
  halt(mode: 'fast' | 'immediate'): void {
    this.run('pg_ctl', 'stop', '--wait', '--silent', '--pgdata', this.data, '--mode', mode);
  }

  /** Sends a signal to the server and all its connections. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    const { pid } = this;
    const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout;
    for (const each of [pid, ...children.split('\n').map(Number).filter(Boolean)]) process.kill(each, name);
  }

  /** Runs statements as the administrator. */
  sql(database: string, text: string): string {
    const options = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--set', 'ON_ERROR_STOP=1'];
    return this.run('psql', ...options, '-h', this.folder, '-U', 'admin', '-d', database, '-c', text).stdout.trim();
  }

  end(): void {
    if (existsSync(join(this.data, 'postmaster.pid'))) this.halt('immediate');
    rmSync(this.folder, { recursive: true, force: true });
    this.watcher.stdin.end();
  }

  /** Id of the server's process. */
  get pid(): number {
    return Number(readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** Writes a file that only the server can read. @returns its path */
  secret(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    const { uid, gid } = this.user;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
    return path;
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  private run(program: string, ...options: string[]): SpawnSyncReturns<string> {
    const path = join(serverFolder() ?? '', program);
    const result = spawnSync(path, options, {
      ...this.user,
      cwd: this.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (result.status !== 0) throw new Error(`${program} failed: ${result.stderr || String(result.error)}`);
    return result;
  }
}

/** The first statements of docs/fleet.md: one role that owns one schema, and nothing else. */
function setUp(): string {
  const page = readFileSync(join(repository, 'docs/fleet.md'), 'utf8');
  const [, statements] = /^```sql\n(.*?)^```$/ms.exec(page) ?? [];
  if (statements === undefined) throw new Error('docs/fleet.md has no statements');
  return statements;
}

/** The server refuses to run as root. */
function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}
