import { fork } from 'node:child_process';
import { once } from 'node:events';
import { StartedGateway } from '../started-gateway.mjs';

const account = { login: '100001', password: 'bench', server: 'Bench-Demo' };
const token = 'bench-link-token';

/** The built gateway over the link to a stand-in of a terminal in a process of its own. */
export class LinkedGateway {
  #terminal;

  static async start(settings = {}) {
    const linked = new LinkedGateway();
    const { login, password, server } = account;
    const env = {
      ...{ ...process.env, ...settings, TERMINAL_BRIDGE_TOKEN: token },
      ...{ SIM_LOGIN: login, SIM_PASSWORD: password, SIM_SERVER: server },
    };
    linked.#terminal = fork(new URL('./slow-terminal.mjs', import.meta.url), { env });
    try {
      const ended = once(linked.#terminal, 'exit').then(() => {
        throw new Error('the stand-in of a terminal ended at its start');
      });
      const [{ port }] = await Promise.race([once(linked.#terminal, 'message'), ended]);
      linked.gateway = await StartedGateway.start({
        ...{ TERMINAL_DRIVER: 'bridge', TERMINAL_BRIDGE_ADDR: `127.0.0.1:${port}`, TERMINAL_BRIDGE_TOKEN: token },
        ...{ TERMINAL_LOGIN: login, TERMINAL_PASSWORD: password, TERMINAL_SERVER: server },
        TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens',
        ...settings,
      });
      await linked.#ready();
      return linked;
    } catch (error) {
      await linked.stop();
      throw error;
    }
  }

  /** Sets how long each call of the terminal takes from now on. */
  async takeFor(callMs) {
    await this.#ask({ callMs });
  }

  /** The calls that the terminal has answered since the last question: name, begin and end in ms of the monotonic clock. */
  calls() {
    return this.#ask({});
  }

  async stop() {
    await this.gateway?.stop();
    if (this.#terminal.exitCode !== null) return;
    const exited = once(this.#terminal, 'exit');
    this.#terminal.disconnect();
    await exited;
  }

  async #ask(message) {
    const answer = once(this.#terminal, 'message');
    this.#terminal.send(message);
    return (await answer)[0];
  }

  async #ready() {
    const { url, headers } = this.gateway;
    for (let attempt = 0; attempt < 200; attempt += 1) {
      if ((await fetch(`${url}/health/ready`, { headers })).ok) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('the gateway over the link is not ready');
  }
}
