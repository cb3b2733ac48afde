import { type ChildProcess, spawn } from 'node:child_process';

/** A process of ours that says `listening on <port>` once it serves. */
export class ServingProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    private readonly exited: Promise<number | null>,
    /** What it said on standard error. */
    readonly complaints: string[],
  ) {}

  get pid(): number | undefined {
    return this.child.pid;
  }

  static async start(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<ServingProcess> {
    const child = spawn(command, args, {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const complaints: string[] = [];
    child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk.toString()));
    const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    const port = await new Promise<number>((resolve, reject) => {
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const listening = /^listening on (\d+)$/m.exec(said);
        if (listening) resolve(Number(listening[1]));
      });
      child.once('error', reject);
      void exited.then((code) => reject(new Error(`${command} ended with ${code}: ${complaints.join('')}`)));
    });
    return new ServingProcess(child, port, exited, complaints);
  }

  /** Resolves with its exit code when it has ended. */
  get ended(): Promise<number | null> {
    return this.exited;
  }

  /** Asks it to end, as a supervisor would; resolves with its exit code, also of one that has ended already. */
  stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.exited;
  }

  /** Ends it without a chance to say goodbye. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }
}
