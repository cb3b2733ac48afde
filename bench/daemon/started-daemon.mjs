import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServedProcess } from '../../scripts/launcher/served-process.mjs';

/** A program that ends at SIGTERM takes no longer. */
const graceMs = 15_000;
const deadlineMs = 20_000;

/** The built daemon with its latency tracking on, its state in a folder of the caller's. */
export class StartedDaemon {
  #process;
  #ended;

  constructor({ config, stateDir, key, watchdogMs }) {
    const env = {
      ...process.env,
      API_KEY: key,
      DAEMON_LATENCY_TRACKING: '1',
      DAEMON_WATCHDOG_MS: String(watchdogMs),
      // Only what is wrong, and not the news of each strategy, which would be a measurement of the terminal.
      LOG_LEVEL: 'ERROR',
    };
    const args = ['dist/apps/daemon/src/main.js', 'start', '--config', config, '--state-dir', stateDir];
    this.#process = new ServedProcess('daemon', args, { env, logFile: join(stateDir, 'daemon.log') });
    void this.#process.ended.then(({ how }) => (this.#ended = how));
    this.portFile = join(stateDir, 'control.port');
  }

  /** Starts it and waits for its control port. @throws Error with its last lines when it ends instead */
  static async start(options) {
    const daemon = new StartedDaemon(options);
    for (;;) {
      try {
        daemon.url = `http://127.0.0.1:${Number(readFileSync(daemon.portFile, 'utf8'))}`;
        return daemon;
      } catch {
        daemon.requireAlive();
        await pause(100);
      }
    }
  }

  requireAlive() {
    if (this.#ended) throw new Error(`the daemon ended (${this.#ended}):\n${this.#process.lastLines}`);
  }

  async text(path) {
    this.requireAlive();
    const response = await fetch(`${this.url}${path}`, { signal: AbortSignal.timeout(deadlineMs) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text;
  }

  async json(path) {
    return JSON.parse(await this.text(path));
  }

  /** By the daemon's own metrics: processor seconds, and resident mebibytes. */
  async usage() {
    const text = await this.text('/metrics');
    const value = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    return {
      cpuSeconds: value('process_cpu_seconds_total'),
      residentMib: value('process_resident_memory_bytes') / 2 ** 20,
    };
  }

  /** Asks until `satisfies`, or until `withinMs` have passed; returns the last answer. */
  async until(path, satisfies, withinMs) {
    const endMs = performance.now() + withinMs;
    for (;;) {
      const answer = await this.json(path);
      if (satisfies(answer) || performance.now() > endMs) return answer;
      await pause(250);
    }
  }

  /** Resolves to whether it ended in time, without being killed. */
  stop() {
    return this.#process.stop(graceMs);
  }
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
