import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type Command, type ProcessExit, type ProcessMark, ProcessRunner, type RunningProcess } from './process-runner';

/** Real child processes. */
export class ChildProcessRunner extends ProcessRunner {
  start(command: Command, onLine?: (line: string) => void): RunningProcess {
    const output = onLine ? 'pipe' : 'ignore';
    const child = spawn(command.file, [...command.args], {
      env: { ...command.env },
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
      detached: true,
      stdio: [command.leash ? 'pipe' : 'ignore', output, output],
    });
    if (onLine) readLines(child, onLine);
    // The pipe must not keep this process alive, and a guard that ended first must not end it with EPIPE.
    child.stdin?.on('error', () => undefined);
    return new StartedProcess(child);
  }

  async find(mark: ProcessMark): Promise<readonly number[]> {
    const names = await readdir('/proc').catch(() => []);
    const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
    const carrying = await Promise.all(pids.map(async (pid) => ((await carries(pid, mark)) ? pid : undefined)));
    return carrying.filter((pid) => pid !== undefined);
  }

  signal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
    send(pid, signal);
  }
}

class StartedProcess implements RunningProcess {
  readonly exited: Promise<ProcessExit>;
  private running = true;

  constructor(private readonly child: ChildProcess) {
    // 'exit', not 'close': Wine's background services inherit the pipes and would delay 'close' forever.
    this.exited = new Promise((resolve) => {
      child.once('error', (error) => resolve({ code: null, signal: null, failure: error.message }));
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    void this.exited.then(() => {
      this.running = false;
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  isRunning(): boolean {
    return this.running;
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.child.pid !== undefined) send(-this.child.pid, signal);
  }
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', onLine);
    // A process that outlives the child may hold the pipe open: read its last output for one turn of the loop, then
    // close.
    child.once('exit', () => setImmediate(() => setImmediate(() => stream.destroy())));
  }
}

async function carries(pid: number, mark: ProcessMark): Promise<boolean> {
  try {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    if (mark.program !== undefined && !isProgram(commandLine, mark.program)) return false;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
    if (!environment.split('\0').includes(mark.env)) return false;
    return pid !== process.pid && commandLine !== '';
  } catch {
    return false;
  }
}

/**
 * Matches the program itself or the script of its interpreter, but not a program with its name as an argument, such as
 * taskkill.
 */
function isProgram(commandLine: string, program: string): boolean {
  const [first = '', second = ''] = commandLine.split('\0');
  return [first, second].some((argument) => argument.split(/[\\/]/).at(-1) === program);
}

function send(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: the process has already ended.
  }
}
