import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { root } from './commands.mjs';

const endWithParent = fileURLToPath(new URL('./end-with-parent.mjs', import.meta.url));
const keptLines = 25;

/** A program of the product that runs until it is stopped. Its output goes to a log file, what matters to the terminal. */
export class ServedProcess {
  #child;
  #recent = [];
  #stopping = false;

  /** Resolves when the program has ended, however that came about. */
  ended;

  constructor(name, args, { env, logFile }) {
    this.name = name;
    this.logFile = logFile;
    mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
    // A group of its own: a Ctrl-C reaches the launcher alone, which then stops the daemon before its gateway.
    this.#child = spawn(process.execPath, ['--import', endWithParent, ...args], {
      cwd: root,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        log.write(`${line}\n`);
        this.#recent = [...this.#recent.slice(1 - keptLines), line];
        const alert = alertIn(line);
        if (alert && !this.#stopping) console.log(`  ${name}: ${alert}`);
      });
    }
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve({ how: error.message }));
      this.#child.once('close', (code, signal) => resolve({ how: signal ? `signal ${signal}` : `exit code ${code}` }));
    });
  }

  get pid() {
    return this.#child.pid;
  }

  /** The last lines it printed, for a report on why it ended. */
  get lastLines() {
    return this.#recent.join('\n');
  }

  /** Asks it to end and waits. Resolves to false if it had to be killed, because it had not ended after `graceMs`. */
  async stop(graceMs) {
    this.#stopping = true;
    let killed = false;
    this.#child.kill('SIGTERM');
    const killing = setTimeout(() => {
      killed = true;
      this.kill();
    }, graceMs);
    await this.ended;
    clearTimeout(killing);
    return !killed;
  }

  kill() {
    this.#child.kill('SIGKILL');
  }
}

const pinoWarning = 40;

/** The message of a log line that a person should see, or undefined. Both programs log a JSON object a line. */
function alertIn(line) {
  try {
    const { level, msg, message, context, method, path, status } = JSON.parse(line);
    const matters = typeof level === 'number' ? level >= pinoWarning : /warn|error|critical|fatal/i.test(level);
    // An open console asks every two seconds; the reason why it is not ready is a line of its own.
    if (!matters || (context === 'access' && path === '/health/ready')) return undefined;
    return context === 'access' ? `${method} ${path}: ${status}` : `${msg ?? message ?? line}`;
  } catch {
    return line.trim() === '' ? undefined : line;
  }
}
