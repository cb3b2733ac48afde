import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Scratch } from './scratch';
import { bareEnvironment, repository, StartedProgram } from './started-program';

/** A port that is free at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

interface Launch {
  /** Where to start it; by default this repository. */
  readonly cwd?: string;
  readonly command?: readonly [string, ...string[]];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** `npm start` as a person runs it, on a free port. */
export class LauncherProgram {
  private constructor(
    readonly program: StartedProgram,
    readonly port: number,
  ) {}

  static async start(
    scratch: Scratch,
    { cwd = repository, command, args = [], env = {} }: Launch = {},
  ): Promise<LauncherProgram> {
    const port = await freePort();
    const [executable, ...first] = command ?? [process.execPath, join(repository, 'scripts/start.mjs')];
    const program = new StartedProgram({
      command: executable,
      args: [...first, ...args],
      cwd,
      env: { ...bareEnvironment(), TERMINAL_API_PORT: String(port), ...env },
      group: true,
    });
    scratch.undo(() => program.stop());
    return new LauncherProgram(program, port);
  }

  /** Waits for the banner's last line. */
  async started(): Promise<this> {
    await this.program.line(/Ctrl-C ends both/);
    return this;
  }

  /** The value behind a word of the banner. */
  shown(label: string): string {
    const line = this.program.lines.find((text) => text.trimStart().startsWith(`${label} `)) ?? '';
    return line.trim().slice(label.length).trim().split(/\s+/)[0] ?? '';
  }

  /** The gateway's and the daemon's process ids. */
  children(): number[] {
    const { pid } = this.program;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean).map(Number);
  }
}

/** Whether a process is there and not just waiting to be buried. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Resolves when all of the processes have ended. */
export async function allGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 50));
}
