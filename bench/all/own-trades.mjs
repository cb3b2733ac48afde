import { get } from 'node:http';
import { quantile } from './rounds.mjs';
import { close, open } from './trades.mjs';

/**
 * Trades one after the other while a listener follows.
 * @returns milliseconds from each request, and from its answer, to the event of its position; negative: the event came first
 */
export async function ownTradeWaits(gateway, trades) {
  const listener = await listen(gateway);
  const waits = { fromRequest: [], fromAnswer: [] };
  try {
    for (let trade = 0; trade < trades; trade += 1) {
      const ticket = await timed(listener, waits, () => open(gateway), 'opened');
      await timed(listener, waits, () => close(gateway, ticket), 'closed');
    }
  } finally {
    listener.request.destroy();
  }
  const figures = (values) => ({
    p50: quantile(values, 0.5),
    p95: quantile(values, 0.95),
    p99: quantile(values, 0.99),
  });
  return { fromRequest: figures(waits.fromRequest), fromAnswer: figures(waits.fromAnswer) };
}

async function timed(listener, waits, send, action) {
  const event = listener.next(action);
  const sentMs = performance.now();
  const result = await send();
  const answeredMs = performance.now();
  const eventMs = await event;
  waits.fromRequest.push(eventMs - sentMs);
  waits.fromAnswer.push(eventMs - answeredMs);
  return result;
}

function listen(gateway) {
  return new Promise((resolve, reject) => {
    let waiting = null;
    const request = get(`${gateway.url}/stream/trades`, { headers: gateway.headers, agent: false });
    const next = (action) => new Promise((done) => (waiting = { action, done }));
    request.on('error', reject);
    request.on('response', (response) => {
      response.setEncoding('utf8');
      response.on('error', () => undefined);
      response.on('data', (text) => {
        const isIt = waiting && text.includes('event: position\n') && text.includes(`"action":"${waiting.action}"`);
        if (!isIt) return;
        waiting.done(performance.now());
        waiting = null;
      });
      resolve({ request, next });
    });
  });
}
