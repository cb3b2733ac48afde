import { connect, createServer } from 'node:net';

/** How long the bridge may take to answer a send whose link was cut. */
const answerWithinMs = 60_000;

/**
 * Stands between gateway and bridge. It passes every line on, and can cut the link right after a send has reached the bridge,
 * so that the gateway does not learn what became of it. Needs to be in between before the gateway connects.
 */
export class Relay {
  #server;
  #sockets = new Set();
  #armed = null;

  /** @throws the system's error when the port cannot be opened */
  static async open(port, bridge) {
    const relay = new Relay();
    relay.#server = createServer((near) => relay.#pass(near, bridge));
    await new Promise((resolve, reject) => {
      relay.#server.once('error', reject);
      relay.#server.listen(port, '127.0.0.1', resolve);
    });
    return relay;
  }

  /**
   * Cuts the link at the next send. `sent` resolves to the bridge's answer to it, or to null when the bridge gave none;
   * `disarm` ends the waiting when no send came by.
   */
  cutNextSend() {
    let settle;
    const sent = new Promise((resolve) => (settle = resolve));
    const armed = { settle, struck: false };
    this.#armed = armed;
    const disarm = () => {
      this.#armed = null;
      return armed.struck;
    };
    return { sent, disarm };
  }

  async close() {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(near, bridge) {
    const far = connect(bridge);
    let cut = null;
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
    }
    far.once('close', () => {
      near.destroy();
      cut?.settle(null);
    });
    // While a cut send is being answered the bridge's side stays open: a bridge does not make a send whose sender has gone.
    near.once('close', () => cut === null && far.destroy());
    eachLine(near, (line) => {
      if (cut !== null) return;
      far.write(line);
      const number = this.#armed && sendNumber(line);
      if (number == null) return;
      cut = { number, settle: this.#armed.settle };
      this.#armed.struck = true;
      this.#armed = null;
      near.destroy();
      setTimeout(() => far.destroy(), answerWithinMs).unref();
    });
    eachLine(far, (line) => {
      if (cut === null) return void near.write(line);
      const message = parsed(line);
      if (message?.id !== cut.number) return;
      cut.settle(message.result ?? message.error ?? null);
      far.destroy();
    });
  }
}

/** The whole lines of a socket, each with its end. */
function eachLine(socket, take) {
  let held = [];
  socket.on('data', (chunk) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      take(Buffer.concat([...held, rest.subarray(0, end + 1)]));
      held = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) held.push(rest);
  });
}

/** The number of the call when a line is a send. */
function sendNumber(line) {
  if (!line.includes('"orderSend"')) return null;
  const message = parsed(line);
  return message?.method === 'orderSend' ? message.id : null;
}

function parsed(line) {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return null;
  }
}
