import { get } from 'node:http';
import { quantile } from './rounds.mjs';

const mostSymbols = 20;

/**
 * Milliseconds from the time of a quote at the broker, which follows this machine's clock, to the client that listens to all of
 * the symbols.
 */
export async function tickLatency(gateway, seconds) {
  const { data } = await gateway.json('/symbols');
  const symbols = data.slice(0, mostSymbols).map(({ name }) => name);
  const waits = [];
  let first = true;
  await new Promise((resolve, reject) => {
    const path = `/stream/ticks?symbols=${symbols.join(',')}`;
    const request = get(`${gateway.url}${path}`, { headers: gateway.headers, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${path}: ${response.statusCode}`));
      response.setEncoding('utf8');
      response.on('error', () => undefined);
      response.on('data', (text) => {
        const nowMs = performance.timeOrigin + performance.now();
        const times = [...text.matchAll(/"time_utc":"([^"]+)"/g)].map(([, time]) => nowMs - Date.parse(time));
        // The first message has the quotes as they were when the listener came.
        if (!first) waits.push(...times);
        if (times.length > 0) first = false;
      });
      setTimeout(() => {
        request.destroy();
        resolve();
      }, seconds * 1_000);
    });
    request.on('error', reject);
  });
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantile(waits, share));
  return { symbols: symbols.length, ticks: waits.length, p50, p95, p99 };
}
