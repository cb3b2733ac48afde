/** A program to start, with its complete environment: nothing is inherited, so that no secret leaks into it. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Its standard input stays open exactly as long as this process lives, so that a guard notices a crash. */
  readonly leash?: boolean;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it could not be started. */
  readonly failure?: string;
}

/** A child with a process group of its own, so that it ends together with all processes that it started. */
export interface RunningProcess {
  readonly pid: number | undefined;
  /** Settles when the child exits, even if another process keeps its output open. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  isRunning(): boolean;
  /** Signals the whole group; harmless if it is gone. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** A mark to find processes by; both texts must match. */
export interface ProcessMark {
  /** The program's file name in any folder; undefined for any program. */
  readonly program: string | undefined;
  /** An entry of the environment, `NAME=value`. */
  readonly env: string;
}

/** Starts and finds processes; the host's only way to the operating system's process table. */
export abstract class ProcessRunner {
  /** Starts a program; `onLine` gets each line that it prints. A program that cannot start counts as exited. */
  abstract start(command: Command, onLine?: (line: string) => void): RunningProcess;

  /** Process ids with the mark. Empty where the system has no /proc. */
  abstract find(mark: ProcessMark): Promise<readonly number[]>;

  /** Signals one process; harmless if it is gone. */
  abstract signal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void;
}
