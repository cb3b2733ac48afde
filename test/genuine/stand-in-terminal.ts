import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WinePrefix } from './wine-prefix';

/** A program that is a terminal by its name only, see stand-in-terminal.c. */
export class StandInTerminal {
  /** Its path as Windows has it. */
  readonly program = 'C:\\Program Files\\Stand-in\\terminal64.exe';
  private readonly home: string;

  constructor(private readonly prefix: WinePrefix) {
    this.home = join(prefix.driveC, 'Program Files/Stand-in');
    mkdirSync(this.home, { recursive: true });
    const [executable, source] = [join(this.home, 'terminal64.exe'), join(__dirname, 'stand-in-terminal.c')];
    execFileSync('x86_64-w64-mingw32-gcc', ['-O1', '-municode', '-o', executable, source]);
  }

  /** One line for each launch, with its arguments, and one for a client of its pipe. */
  notes(): string[] {
    const file = join(this.home, 'launches.txt');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  /** Starts it as the host does; with its pipe or without. Gives a way to end it. */
  async start({ withPipe }: { readonly withPipe: boolean }): Promise<() => Promise<void>> {
    if (withPipe) writeFileSync(join(this.home, 'pipe.txt'), this.pipe());
    const args = [this.program, '/portable', '/config:startup.ini'];
    const child = spawn('wine', args, { env: { ...this.prefix.env }, stdio: 'ignore' });
    await until(() => this.notes().length > 0);
    return async () => void child.kill('SIGKILL');
  }

  /** Forgets what it has noted. */
  reset(): void {
    for (const name of ['launches.txt', 'pipe.txt']) rmSync(join(this.home, name), { force: true });
  }

  /** The name of the pipe that the package opens for a terminal, from the path of its program. */
  private pipe(): string {
    const name = createHash('sha256').update(Buffer.from(`\\\\?\\${this.program.toLowerCase()}`, 'utf16le'));
    return `\\\\.\\pipe\\MT5.Terminal.${name.digest('hex').toUpperCase()}`;
  }
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((done) => setTimeout(done, 50));
}
