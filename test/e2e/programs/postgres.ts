import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
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

/** A PostgreSQL server of its own, in a temporary folder and on a Unix socket. It never runs as root. */
export class PostgresServer {
  private constructor(
    private readonly folder: string,
    private readonly user: { readonly uid?: number; readonly gid?: number },
  ) {}

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

  urlOf(role: string): string {
    return `postgres://${role}@${encodeURIComponent(this.folder)}/trading`;
  }

  boot(): void {
    const options = `-c listen_addresses= -c unix_socket_directories=${this.folder} -c max_connections=60`;
    const log = join(this.folder, 'log');
    this.run('pg_ctl', 'start', '--wait', '--silent', '--pgdata', this.data, '--log', log, '--options', options);
  }

  /** @param mode `immediate`: as if the machine lost power */
  halt(mode: 'fast' | 'immediate'): void {
    this.run('pg_ctl', 'stop', '--wait', '--silent', '--pgdata', this.data, '--mode', mode);
  }

  /** Sends a signal to the server and all its connections. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    const pid = Number(readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
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
