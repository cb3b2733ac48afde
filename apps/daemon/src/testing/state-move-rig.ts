import { mkdtempSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { Database } from '@libs/postgres';
import { storedEntries } from '@libs/store';
import { pino } from 'pino';
import type { PostgresServer } from '../../../../test/e2e/programs/postgres';
import { createDaemon } from '../daemon.app';
import { readDaemonSettings } from '../daemon.config';
import { StateStore, type Dump } from '../state/state-store';
import { LeasedHost } from './leased-host';
import { printedBy } from './printed';

const fixture = join(__dirname, '../../../../test/fixtures/v0.1.0/daemon/state.lmdb');

/** The units of the state that is moved. */
export const movedUnits = ['book', 'flip', 'ladder'];

/** A directory with the state of a daemon without a database, and the database of a fleet. */
export class StateMoveRig {
  readonly stateDir = mkdtempSync(join(tmpdir(), 'state-move-'));
  private readonly hosts: LeasedHost[] = [];

  private constructor(readonly server: PostgresServer) {}

  static async make(server: PostgresServer): Promise<StateMoveRig> {
    const rig = new StateMoveRig(server);
    process.env['DAEMON_DATABASE_URL'] = server.url;
    // Makes the tables.
    await (await rig.connected()).close();
    await cp(fixture, join(rig.stateDir, 'state.lmdb'));
    return rig;
  }

  async end(): Promise<void> {
    delete process.env['DAEMON_DATABASE_URL'];
    for (const host of [...this.hosts]) await this.left(host);
    this.server.sql('trading', 'drop schema trading cascade; create schema trading authorization trading_daemon');
  }

  connected(): Promise<Database> {
    return Database.open({ url: this.server.url, applicationName: 'test', connections: 1 });
  }

  /** Runs the command. @returns what it has printed */
  move(...flags: string[]): Promise<string> {
    return printedBy('state', 'move', '--state-dir', this.stateDir, ...flags);
  }

  /** A host that takes the units if it can. */
  async joined(): Promise<LeasedHost> {
    const all = movedUnits.map((name) => ({ name, runsOn: [] }));
    const host = await LeasedHost.join({ url: this.server.url, id: 'one', units: () => all });
    this.hosts.push(host);
    await host.round();
    return host;
  }

  async left(host: LeasedHost): Promise<void> {
    this.hosts.splice(this.hosts.indexOf(host), 1);
    await host.keeper.end();
    await host.close();
  }

  /** Starts a daemon on the directory, and stops it. */
  async started(env: NodeJS.ProcessEnv): Promise<void> {
    const configured = { readFile: () => ({ gateways: [], strategies: [], portfolios: [] }), apiKey: () => 'k' };
    const start = { settings: readDaemonSettings(env), configured, stateDir: this.stateDir, host: '127.0.0.1' };
    const { daemon, control } = await createDaemon(start, pino({ level: 'silent' }), { clock: new VirtualClock() });
    await daemon.stop();
    await control.close();
  }

  /** All entries of a state in the directory, each a line. */
  async linesOf(file = 'state.lmdb'): Promise<string[]> {
    const entries = await storedEntries('the state', join(this.stateDir, file));
    return entries.map(({ table, key, value }) => `${table} ${key.toString('hex')} ${value.toString('hex')}`).sort();
  }

  /** Those of the state as it was at first. */
  async linesOfFixture(): Promise<string[]> {
    await cp(fixture, join(this.stateDir, 'fixture.lmdb'));
    return this.linesOf('fixture.lmdb');
  }

  /** All entries of the database, each such a line. */
  written(): string[] {
    const line = `table_name || ' ' || encode(key, 'hex') || ' ' || encode(value, 'hex')`;
    return this.rows(`select ${line} from trading.entry`).sort();
  }

  leases(): string[] {
    return this.rows('select name, token, holder is null, expires_at from trading.lease order by name');
  }

  rows(query: string): string[] {
    return this.server.sql('trading', query).split('\n').filter(Boolean);
  }

  async dumped(): Promise<Dump> {
    const store = StateStore.open(this.stateDir);
    const dump = store.dump();
    await store.close();
    return dump;
  }
}
