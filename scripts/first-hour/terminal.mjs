import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

const done = '@@ the block has ended @@';

/** A terminal window: a program with a process group of its own, so that Ctrl-C reaches all of it. */
export class Terminal {
  output = '';
  #child;
  #ended;
  #changed = () => undefined;

  constructor(command, { prefix, cwd, env }) {
    this.command = command;
    const [file, ...args] = [...prefix, 'bash', '--norc', '-c', `exec 2>&1; ${command}`];
    this.#child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      this.output += text;
      this.#changed();
    });
    this.#child.once('error', (error) => (this.output += error.message));
    this.#child.once('close', (code, signal) => {
      this.#ended = { code: code ?? signal };
      this.#changed();
    });
  }

  /** Types a block into the shell of this terminal, and returns what it printed. @throws Error when the shell ends */
  async run(block) {
    const from = this.output.length;
    this.#child.stdin.write(`{\n${block}\n} </dev/null\necho '${done}'\n`);
    await this.prints(done, from);
    const printed = this.output.slice(from).replace(done, '');
    return printed;
  }

  /** Waits until the output contains the text or pattern. @throws Error with the output when the program ends without it */
  async prints(wanted, from = 0) {
    const isThere = () =>
      typeof wanted === 'string' ? this.output.slice(from).includes(wanted) : wanted.test(this.output);
    while (!isThere()) {
      if (this.#ended) throw new Error(`ended with ${this.#ended.code}:\n${this.output.slice(from)}`);
      await new Promise((resolve) => (this.#changed = resolve));
    }
    return this.output.slice(from);
  }

  /** Ctrl-C. Resolves with the exit code. */
  interrupt() {
    return this.#end('SIGINT');
  }

  kill() {
    return this.#end('SIGKILL');
  }

  async #end(signal) {
    if (this.#ended === undefined) {
      const closed = once(this.#child, 'close');
      process.kill(-this.#child.pid, signal);
      await closed;
    }
    return this.#ended.code;
  }
}
