import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ask, askUntil } from './asking.mjs';
import { LaunchError, root } from './commands.mjs';
import { daemonEnvironment } from './daemon-environment.mjs';
import { step } from './progress.mjs';
import { ServedProcess } from './served-process.mjs';

/** The daemon takes up to ten seconds to resolve what is in flight; the gateway has only to drain. */
const graceMs = { daemon: 12_000, gateway: 6_000 };

/**
 * The gateway, with a limit on what V8 reserves for garbage: 8 MiB for each half of the new objects, and 80 % of what the old ones
 * take. An order waits for the disk longer than a new object is expected to live. Without the last option, V8 concludes that every
 * request lives long, and the garbage of reads costs three times as much for good. docs/performance.md has the figures; the images
 * set the same.
 */
export const gatewayArguments = [
  '--max-semi-space-size=8',
  '--heap-growing-percent=80',
  '--no-allocation-site-pretenuring',
  'dist/apps/gateway/src/main.js',
];

/**
 * The environment of the gateway, with one arena of the C library for all threads. By default each thread that writes to the
 * database or reads a file has its own, which keeps what the others could use. The image sets the same.
 */
export const gatewayEnvironment = (settings) => ({ MALLOC_ARENA_MAX: '1', ...settings });

/** The running gateway and daemon. */
export class Product {
  #settings;
  #logDir;
  #processes = [];
  #stopped;

  /** Resolves to the first program that ends before it is stopped. */
  failure;
  #fail;

  constructor(settings, logDir) {
    this.#settings = settings;
    this.#logDir = logDir;
    this.failure = new Promise((resolve) => (this.#fail = resolve));
    this.url = `http://127.0.0.1:${settings.TERMINAL_API_PORT}`;
    this.controlToken = settings.DAEMON_CONTROL_TOKEN;
    this.key = settings.API_KEY ?? readFileSync(settings.API_KEY_FILE, 'utf8').trim();
  }

  /** Starts the gateway and waits until it answers; until it is ready to trade, when that is to be expected. */
  async startGateway() {
    const gateway = this.#serve('gateway', gatewayArguments, gatewayEnvironment(this.#settings));
    const live = ({ status }) => status === 200;
    await step('Starting the gateway', () => this.#answer(gateway, `${this.url}/health/live`, live));
    const settled = ({ body }) => body.terminal_status !== 'connecting' && body.terminal_status !== undefined;
    return (await this.#answer(gateway, `${this.url}/health`, settled)).body;
  }

  get gatewayPid() {
    return this.#processes.find(({ name }) => name === 'gateway')?.process.pid;
  }

  /** Starts the daemon and waits until its control port answers. */
  async startDaemon(config) {
    const stateDir = this.#settings.DAEMON_STATE_DIR;
    const portFile = join(stateDir, 'control.port');
    // A port file left by a killed daemon may name a port that another program uses now.
    rmSync(portFile, { force: true });
    const program = 'dist/apps/daemon/src/main.js';
    const args = [program, 'start', '--config', config, '--state-dir', stateDir];
    const daemon = this.#serve('daemon', args, daemonEnvironment(this.#settings, config));
    await step('Starting the daemon', async () => {
      this.controlUrl = await this.#controlUrl(daemon, portFile);
      await this.#answer(daemon, `${this.controlUrl}/health`, ({ status }) => status === 200);
    });
  }

  askGateway(path) {
    return ask(`${this.url}${path}`, this.key);
  }

  askDaemon(path) {
    return ask(`${this.controlUrl}${path}`, this.controlToken);
  }

  /** Ends the daemon, then the gateway it trades through. Resolves to the names of those that had to be killed. */
  stop() {
    this.#stopped ??= this.#stopInOrder();
    return this.#stopped;
  }

  /** Kills both programs at once. */
  kill() {
    for (const { process } of this.#processes) process.kill();
  }

  async #stopInOrder() {
    const killed = [];
    for (const { name, process } of [...this.#processes].reverse()) {
      if (!(await process.stop(graceMs[name]))) killed.push(name);
    }
    return killed;
  }

  #serve(name, args, settings) {
    if (this.#stopped) throw new LaunchError(`The ${name} was not started: the product is ending.`);
    const logFile = join(this.#logDir, `${name}.log`);
    const process = new ServedProcess(name, args, { env: { ...settings, API_KEY: this.key }, logFile });
    this.#processes.push({ name, process });
    void process.ended.then(({ how }) => {
      if (!this.#stopped) this.#fail({ name, how, lastLines: process.lastLines, logFile });
    });
    return process;
  }

  async #answer(process, url, satisfies) {
    const answer = await askUntil(url, this.key, satisfies, Promise.race([process.ended, this.failure]));
    if (answer === undefined) throw await this.#failed(process);
    return answer;
  }

  async #controlUrl(daemon, portFile) {
    let over = false;
    void daemon.ended.then(() => (over = true));
    while (!over) {
      try {
        return `http://127.0.0.1:${Number(readFileSync(portFile, 'utf8'))}`;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    throw await this.#failed(daemon);
  }

  async #failed(process) {
    const { how } = await process.ended;
    return new LaunchError(
      endReport({ name: process.name, how, lastLines: process.lastLines, logFile: process.logFile }),
    );
  }
}

/** Why a program ended unexpectedly, with its last lines. */
export function endReport({ name, how, lastLines, logFile }) {
  return `The ${name} ended unexpectedly (${how}). Its last lines, from ${logFile.replace(`${root}/`, '')}:\n${lastLines}`;
}
