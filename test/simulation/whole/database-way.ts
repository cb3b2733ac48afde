import {
  DatabaseError,
  type CommandArgs,
  type CommandName,
  type CommandResult,
  type DatabaseOptions,
  type FleetDatabase,
} from '@libs/postgres';
import type { SimulatedPostgres } from '@libs/simulated-postgres';
import type { DaemonApp } from '../../../apps/daemon/src/daemon.app';
import type { ProgramRun } from '../program-process';
import type { SeededRandom } from '../seeded-random';
import type { VirtualTime } from '../virtual-time';
import type { DatabaseTrouble } from './whole-steps';

type DaemonRun = ProgramRun<DaemonApp>;

/** Hears what a host does in the database. */
export interface DatabaseJudge {
  /** The server has carried out a command; its answer may never arrive. */
  executed<Name extends CommandName>(name: Name, args: CommandArgs<Name>, result: CommandResult<Name>): void;
  /** The host has the answer. @param sentMs when the command was sent, in virtual milliseconds */
  answered<Name extends CommandName>(
    run: number,
    name: Name,
    args: CommandArgs<Name>,
    result: CommandResult<Name>,
    sentMs: number,
  ): void;
}

interface Client {
  readonly run: DaemonRun;
  readonly number: number;
  readonly timeoutMs: number;
}

interface Expected {
  readonly trouble: DatabaseTrouble;
  readonly command: CommandName | undefined;
}

type State = 'open' | 'refusing' | 'silent';

/** What a command that arrives late takes, in milliseconds: its host has given up by then. */
const lateMs = [5_000, 60_000] as const;

/** The network between one host and the database. It delays and loses, and it breaks. */
export class DatabaseWay {
  private state: State = 'open';
  private slowMs = 0;
  private readonly troubles: Expected[] = [];
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly time: VirtualTime,
    private readonly random: SeededRandom,
    private readonly server: SimulatedPostgres,
    private readonly judge: DatabaseJudge,
  ) {}

  /** Something befalls the next command that nothing has befallen yet. @param command only those of this name */
  trouble(trouble: DatabaseTrouble, command?: CommandName): void {
    this.troubles.push({ trouble, command });
  }

  /** From now on nothing arrives. @param silent commands stay without an answer, instead of failing at once */
  break(silent: boolean): void {
    this.state = silent ? 'silent' : 'refusing';
    for (const lose of [...this.listeners]) lose();
  }

  mend(): void {
    this.state = 'open';
  }

  /** @param ms what each command takes, one way; 0: as usual */
  delay(ms: number): void {
    this.slowMs = ms;
  }

  clear(): void {
    this.troubles.length = 0;
    this.state = 'open';
    this.slowMs = 0;
  }

  /** Connects a run of the daemon. @param number of the run, unlike that of all others @throws DatabaseError */
  async connect(run: DaemonRun, number: number, { timeoutMs = 5_000 }: DatabaseOptions): Promise<FleetDatabase> {
    const client = { run, number, timeoutMs };
    const database: FleetDatabase = {
      call: async (name, args) => {
        await run.calls.begin(`database ${name}`);
        const result = await this.send(client, name, args);
        await run.calls.end(`database ${name}`);
        return result;
      },
      listen: (onNotified, onLost) => this.listen(run, onNotified, onLost),
      close: () => Promise.resolve(),
    };
    // It finds out whether the server answers.
    await database.call('newestVersion', {}).catch((error: unknown) => {
      throw new DatabaseError(`the database cannot be used: ${String(error)}`);
    });
    return database;
  }

  private send<Name extends CommandName>(
    { run, number, timeoutMs }: Client,
    name: Name,
    args: CommandArgs<Name>,
  ): Promise<CommandResult<Name>> {
    return new Promise((resolve, reject) => {
      const fail = (message: string): void => run.life.reach(() => reject(new Error(message)));
      const sentMs = this.time.elapsedMs;
      if (this.state === 'refusing') return void this.time.schedule(1, () => fail('connect ECONNREFUSED'));
      const deadline = this.time.schedule(timeoutMs, () => fail('Query read timeout'));
      if (this.state === 'silent') return;
      const trouble = this.troubleOf(name);
      if (trouble === 'lose-request') return;
      const wayMs = trouble === 'late' ? this.random.integer(...lateMs) : this.delayMs();
      this.time.schedule(wayMs, () => {
        const result = this.server.execute(name, args);
        this.judge.executed(name, args, result);
        if (trouble === 'lose-answer' || this.state !== 'open') return;
        this.time.schedule(this.delayMs(), () => {
          run.life.reach(() => {
            deadline.cancel();
            this.judge.answered(number, name, args, result, sentMs);
            resolve(result);
          });
        });
      });
    });
  }

  private troubleOf(name: CommandName): DatabaseTrouble | undefined {
    const index = this.troubles.findIndex(({ command }) => command === undefined || command === name);
    return index < 0 ? undefined : this.troubles.splice(index, 1)[0]?.trouble;
  }

  private listen(run: DaemonRun, onNotified: (payload: string) => void, onLost: () => void): Promise<() => void> {
    if (this.state !== 'open') return Promise.reject(new Error('connect ECONNREFUSED'));
    const unsubscribe = this.server.listen((payload) => {
      this.time.schedule(this.delayMs(), () => run.life.reach(() => onNotified(payload)));
    });
    const end = (): void => {
      unsubscribe();
      this.listeners.delete(lose);
    };
    const lose = (): void => {
      end();
      run.life.reach(onLost);
    };
    this.listeners.add(lose);
    return Promise.resolve(end);
  }

  private delayMs(): number {
    return this.slowMs + this.random.delayMs(2, 20);
  }
}
