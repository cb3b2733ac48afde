import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { quantile } from './rounds.mjs';

const clientCounts = [1, 16, 64];
const warmUpOrders = 500;

/**
 * Durable market orders on a netting account, buys and sells in turns, for flushes of several durations.
 * @returns for each duration and number of clients: orders per second, waits, flushes and main-thread time of the gateway per order
 */
export async function durableOrders(flushes, seconds) {
  const rows = [];
  for (const flushMs of flushes) {
    const gateway = await OrderGateway.start(flushMs);
    try {
      await gateway.trade(16, { orders: warmUpOrders });
      for (const clients of clientCounts) {
        rows.push({
          flushMs,
          clients,
          bound: boundOf(flushMs, clients),
          ...(await gateway.trade(clients, { seconds })),
        });
        process.stderr.write('.');
      }
    } finally {
      await gateway.stop();
    }
  }
  return rows;
}

/**
 * Main-thread time per order in the first and in the last tenth of many orders, and that of a skeleton which checks the same body,
 * answers the same bytes and does nothing else.
 */
export async function manyOrders(orders) {
  const gateway = await OrderGateway.start(0);
  let skeleton = null;
  try {
    await gateway.trade(16, { orders: warmUpOrders });
    const tenths = [];
    for (let tenth = 0; tenth < 10; tenth += 1) tenths.push(await gateway.trade(16, { orders: orders / 10 }));
    skeleton = await OrderGateway.startSkeleton(await gateway.answer());
    await skeleton.trade(16, { orders: orders / 10 });
    const bare = await skeleton.trade(16, { orders: orders / 2 });
    return { first: tenths.at(0), last: tenths.at(-1), skeleton: bare };
  } finally {
    await gateway.stop();
    await skeleton?.stop();
  }
}

/** Orders per second if each waits for two flushes only, of its intent and of its outcome, which all waiting orders share. */
function boundOf(flushMs, clients) {
  return flushMs === 0 ? null : clients / (2 * (flushMs / 1_000));
}

class OrderGateway {
  #child;
  #url;
  #key;
  #keys = 0;

  static async start(flushMs) {
    const gateway = await OrderGateway.#forked('./order-gateway.mjs', String(flushMs));
    await gateway.#ready();
    return gateway;
  }

  /** @param answer what it answers to each order, as JSON */
  static startSkeleton(answer) {
    return OrderGateway.#forked('./order-skeleton.mjs', answer);
  }

  static async #forked(script, argument) {
    const gateway = new OrderGateway();
    gateway.#child = fork(new URL(script, import.meta.url), [argument]);
    const [{ url, key }] = await once(gateway.#child, 'message');
    gateway.#url = url;
    gateway.#key = key;
    return gateway;
  }

  /** The answer to one order. */
  async answer() {
    const agent = new Agent();
    try {
      return await this.#order(agent, 'BUY');
    } finally {
      agent.destroy();
    }
  }

  /** Each client sends its next order after the answer to the one before. */
  async trade(clients, { seconds = Infinity, orders = Infinity }) {
    const agent = new Agent({ keepAlive: true, maxSockets: clients });
    const waits = [];
    let left = orders;
    const before = await this.#usage();
    const startMs = performance.now();
    const client = async () => {
      while (left-- > 0 && performance.now() - startMs < seconds * 1_000) {
        const sentMs = performance.now();
        await this.#order(agent, left % 2 === 0 ? 'BUY' : 'SELL');
        waits.push(performance.now() - sentMs);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    const tookMs = performance.now() - startMs;
    const after = await this.#usage();
    agent.destroy();
    return {
      perSecond: (waits.length / tookMs) * 1_000,
      p50Ms: quantile(waits, 0.5),
      p99Ms: quantile(waits, 0.99),
      cpuMicros: ((after.mainThreadMs - before.mainThreadMs) / waits.length) * 1_000,
      flushes: (after.flushes - before.flushes) / waits.length,
    };
  }

  async stop() {
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }

  async #usage() {
    const answer = once(this.#child, 'message');
    this.#child.send('usage');
    return (await answer)[0];
  }

  async #ready() {
    const headers = { authorization: `Bearer ${this.#key}` };
    for (let attempt = 0; attempt < 100; attempt += 1) {
      if ((await fetch(`${this.#url}/health/ready`, { headers })).ok) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('the gateway with slow flushes is not ready');
  }

  #order(agent, type) {
    const body = JSON.stringify({ symbol: 'EURUSD', volume: 0.01, type });
    const headers = {
      authorization: `Bearer ${this.#key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'idempotency-key': `bench-${this.#keys++}`,
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#url}/order`, { method: 'POST', agent, headers }, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(Buffer.concat(parts).toString());
          else reject(new Error(`POST /order: ${response.statusCode}`));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}
