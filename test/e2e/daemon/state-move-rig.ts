import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { storedEntries } from '@libs/store';
import type { PostgresServer } from '../programs/postgres';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';

/** The command that moves the state of a directory into a database, as a process of its own. */
export class StateMoveRig {
  constructor(
    private readonly server: PostgresServer,
    readonly stateDir: string,
  ) {}

  /** Starts a command of the daemon. */
  commanded(...args: readonly string[]): StartedProgram {
    return new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/apps/daemon/src/main.js'), ...args, '--state-dir', this.stateDir],
      env: { ...bareEnvironment(), DAEMON_DATABASE_URL: this.server.url },
    });
  }

  /** @returns what the command has printed. @throws Error when it fails */
  async moved(): Promise<string> {
    const program = this.commanded('state', 'move');
    const code = await program.exitCode();
    if (code !== 0) throw new Error(`ended with ${code}: ${program.output}`);
    return program.output;
  }

  /** All entries of a state, each a line. */
  async linesOf(path = join(this.stateDir, 'state.lmdb')): Promise<string[]> {
    const entries = await storedEntries('the state', path);
    return entries.map(({ table, key, value }) => `${table} ${key.toString('hex')} ${value.toString('hex')}`).sort();
  }

  /** All entries of the database, each such a line. */
  written(): string[] {
    const columns = `table_name || ' ' || encode(key, 'hex') || ' ' || encode(value, 'hex')`;
    return this.server.sql('trading', `select ${columns} from trading.entry`).split('\n').filter(Boolean).sort();
  }

  /** The copy of the state that the move leaves. */
  copyOf(): string {
    const [name = ''] = readdirSync(this.stateDir).filter((file) => /^state\.moved-[0-9a-f]+\.lmdb$/.test(file));
    return join(this.stateDir, name);
  }
}
