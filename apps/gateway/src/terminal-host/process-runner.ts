/** A program to start: its own environment in full, nothing is inherited, so that no secret of ours leaks into it. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Its standard input stays open exactly as long as this process lives: how a guard notices a crash of ours. */
  readonly leash?: boolean;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it could not be started at all. */
  readonly failure?: string;
}

/** A child that leads a process group of its own, so that it ends together with all it has started. */
export interface RunningProcess {
  readonly pid: number | undefined;
  /** Settles at the exit of the child itself, whatever still holds its output open. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  isRunning(): boolean;
  /** Signals the whole group; harmless when it is gone. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** What to look for among the machine's processes; both texts have to match. */
export interface ProcessMark {
  /** The program's file name, whatever its folder; undefined for any program. */
  readonly program: string | undefined;
  /** An entry of the environment, `NAME=value`. */
  readonly env: string;
}

/** Starts and finds processes; the host's only way to the operating system's process table. */
export abstract class ProcessRunner {
  /** Starts a program; `onLine` gets each line that it prints. A program that cannot start is one that exited. */
  abstract start(command: Command, onLine?: (line: string) => void): RunningProcess;

  /** Process ids that carry the mark, whoever started them. Empty where the system has no /proc. */
  abstract find(mark: ProcessMark): Promise<readonly number[]>;

  /** Signals one process; harmless when it is gone. */
  abstract signal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void;
}
