import { DatabaseError, type DatabaseOptions, type SqlDatabase, type Statement } from '@libs/postgres';
import type { SimulatedPostgres } from '@libs/simulated-postgres';
import type { DaemonApp } from '../../../apps/daemon/src/daemon.app';
import type { ProgramRun } from '../program-process';
import type { SeededRandom } from '../seeded-random';
import type { VirtualTime } from '../virtual-time';
import type { DatabaseTrouble } from './whole-steps';

type DaemonRun = ProgramRun<DaemonApp>;

/** A statement of a host, and what it came to. */
export interface Answered {
  readonly statement: Statement;
  readonly rows: readonly object[];
  /** When it was sent, in virtual milliseconds. */
  readonly sentMs: number;
}

/** Hears what a host does in the database. */
export interface DatabaseJudge {
  /** The server has carried out a statement; its answer may never arrive. */
  executed(answered: Answered): void;
  /** The host has the answer. */
  answered(run: number, answered: Answered): void;
}

interface Client {
  readonly run: DaemonRun;
  readonly number: number;
  readonly timeoutMs: number;
}

interface Expected {
  readonly trouble: DatabaseTrouble;
  readonly statement: string | undefined;
}

type State = 'open' | 'refusing' | 'silent';

/** What a statement that arrives late takes, in milliseconds: its host has given up by then. */
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

  /** Something befalls the next statement that nothing has befallen yet. @param statement only those of this name */
  trouble(trouble: DatabaseTrouble, statement?: string): void {
    this.troubles.push({ trouble, statement });
  }

  /** From now on nothing arrives. @param silent statements stay without an answer, instead of failing at once */
  break(silent: boolean): void {
    this.state = silent ? 'silent' : 'refusing';
    for (const lose of [...this.listeners]) lose();
  }

  mend(): void {
    this.state = 'open';
  }

  /** @param ms what each statement takes, one way; 0: as usual */
  delay(ms: number): void {
    this.slowMs = ms;
  }

  clear(): void {
    this.troubles.length = 0;
    this.state = 'open';
    this.slowMs = 0;
  }

  /** Connects a run of the daemon. @param number of the run, unlike that of all others @throws DatabaseError */
  async connect(run: DaemonRun, number: number, { timeoutMs = 5_000 }: DatabaseOptions): Promise<SqlDatabase> {
    const query = async <Row extends object>(statement: Statement): Promise<Row[]> => {
      const name = `database ${statement.name ?? 'statement'}`;
      await run.calls.begin(name);
      const rows = await this.send<Row>({ run, number, timeoutMs }, statement);
      await run.calls.end(name);
      return rows;
    };
    await query({ text: 'select 1' }).catch((error: unknown) => {
      throw new DatabaseError(`the database cannot be used: ${String(error)}`);
    });
    return {
      query,
      listen: (channel, onNotified, onLost) => this.listen(run, channel, onNotified, onLost),
      close: () => Promise.resolve(),
    };
  }

  private send<Row extends object>({ run, number, timeoutMs }: Client, statement: Statement): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const fail = (message: string): void => run.life.reach(() => reject(new Error(message)));
      const sentMs = this.time.elapsedMs;
      if (this.state === 'refusing') return void this.time.schedule(1, () => fail('connect ECONNREFUSED'));
      const deadline = this.time.schedule(timeoutMs, () => fail('Query read timeout'));
      if (this.state === 'silent') return;
      const trouble = this.troubleOf(statement);
      if (trouble === 'lose-request') return;
      const wayMs = trouble === 'late' ? this.random.integer(...lateMs) : this.delayMs();
      this.time.schedule(wayMs, () => {
        const answered = this.execute(statement, sentMs);
        if (answered instanceof Error) return fail(answered.message);
        if (trouble === 'lose-answer' || this.state !== 'open') return;
        this.time.schedule(this.delayMs(), () => {
          run.life.reach(() => {
            deadline.cancel();
            this.judge.answered(number, answered);
            resolve([...answered.rows] as Row[]);
          });
        });
      });
    });
  }

  private troubleOf({ name }: Statement): DatabaseTrouble | undefined {
    const index = this.troubles.findIndex(({ statement }) => statement === undefined || statement === name);
    return index < 0 ? undefined : this.troubles.splice(index, 1)[0]?.trouble;
  }

  private execute(statement: Statement, sentMs: number): Answered | Error {
    try {
      const answered = { statement, sentMs, rows: this.server.execute<object>(statement) };
      this.judge.executed(answered);
      return answered;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  private listen(
    run: DaemonRun,
    channel: string,
    onNotified: (payload: string) => void,
    onLost: () => void,
  ): Promise<() => void> {
    if (this.state !== 'open') return Promise.reject(new Error('connect ECONNREFUSED'));
    const unsubscribe = this.server.listen(channel, (payload) => {
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
