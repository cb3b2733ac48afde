import { get } from 'node:http';
import { quantile } from './rounds.mjs';

const mostSymbols = 20;
/** The first messages have the quotes as they were when the listener came, and a slow terminal is polled once by then. */
const greetingMs = 1_500;

/**
 * Milliseconds from the time of a quote at the broker, which follows this machine's clock, to a client that listens to all of the
 * symbols by server-sent events, and to one that does by WebSocket, at the same time.
 */
export async function tickLatency(gateway, seconds) {
  const { data } = await gateway.json('/symbols');
  const symbols = data.slice(0, mostSymbols).map(({ name }) => name);
  const path = `/stream/ticks?symbols=${symbols.join(',')}`;
  const [events, socket] = [new Waits(), new Waits()];
  const closes = [await listenToEvents(gateway, path, events), await listenToSocket(gateway, path, socket)];
  await new Promise((resolve) => setTimeout(resolve, greetingMs + seconds * 1_000));
  for (const close of closes) close();
  return { symbols: symbols.length, events: events.figures, socket: socket.figures };
}

class Waits {
  #waits = [];
  #fromMs = performance.now() + greetingMs;

  add(text) {
    if (performance.now() < this.#fromMs) return;
    const nowMs = performance.timeOrigin + performance.now();
    for (const [, time] of text.matchAll(/"time_utc":"([^"]+)"/g)) this.#waits.push(nowMs - Date.parse(time));
  }

  get figures() {
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantile(this.#waits, share));
    return { ticks: this.#waits.length, p50, p95, p99 };
  }
}

function listenToEvents(gateway, path, waits) {
  return new Promise((resolve, reject) => {
    const request = get(`${gateway.url}${path}`, { headers: gateway.headers, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${path}: ${response.statusCode}`));
      response.setEncoding('utf8');
      response.on('error', () => undefined);
      response.on('data', (text) => waits.add(text));
      resolve(() => request.destroy());
    });
    request.on('error', reject);
  });
}

async function listenToSocket(gateway, path, waits) {
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}${path}`, { headers: gateway.headers });
  await new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', resolve);
    socket.on('message', (text) => waits.add(String(text)));
  });
  return () => socket.terminate();
}
