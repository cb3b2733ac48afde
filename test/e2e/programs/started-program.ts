import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** The repository's top folder. */
export const repository = resolve(__dirname, '../../..');

interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** A process group of its own, so that the whole tree can be signalled as a terminal does it. */
  readonly group?: boolean;
}

/** The variables without which no program runs; nothing else of the caller's environment reaches the product. */
export function bareEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}

/** A real child process: what it printed, how to wait for it, and how to end it. */
export class StartedProgram {
  readonly lines: string[] = [];
  private readonly child: ChildProcess;
  private readonly listeners = new Set<() => void>();
  private ending: { code: number | null; signal: NodeJS.Signals | null } | undefined;

  constructor(private readonly start: Start) {
    this.child = spawn(start.command, start.args, {
      cwd: start.cwd ?? repository,
      env: start.env,
      detached: start.group ?? false,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.record(line));
    }
    this.child.once('close', (code, signal) => {
      this.ending = { code, signal };
      this.announce();
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error(`${this.start.command} did not start`);
    return this.child.pid;
  }

  get output(): string {
    return this.lines.join('\n');
  }

  /** The first line that matches, now or later. @throws Error with the output when the program ends without it */
  async line(pattern: RegExp): Promise<string> {
    let from = 0;
    for (;;) {
      const found = this.lines.slice(from).find((line) => pattern.test(line));
      if (found !== undefined) return found;
      if (this.ending) throw new Error(`ended (${JSON.stringify(this.ending)}) without ${pattern}:\n${this.output}`);
      from = this.lines.length;
      await new Promise<void>((wake) => this.listeners.add(wake));
    }
  }

  /** Resolves when the program has ended, with its exit code; null when a signal ended it. */
  async exitCode(): Promise<number | null> {
    if (!this.ending) await once(this.child, 'close');
    return this.ending?.code ?? null;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.ending || this.child.pid === undefined) return;
    process.kill(this.start.group ? -this.child.pid : this.child.pid, signal);
  }

  async stop(): Promise<number | null> {
    this.signal('SIGTERM');
    return this.exitCode();
  }

  private record(line: string): void {
    this.lines.push(line);
    this.announce();
  }

  private announce(): void {
    const waiting = [...this.listeners];
    this.listeners.clear();
    for (const wake of waiting) wake();
  }
}
