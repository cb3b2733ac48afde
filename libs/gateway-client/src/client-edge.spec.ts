import { VirtualClock } from '@libs/clock';
import type { ClientEdge } from './client-edge';
import { GatewayClient } from './gateway-client';
import type { StreamMessage, TickEventRecord } from './stream-records';

const options = { baseUrl: 'http://gateway.test', apiKey: 'k', readTimeoutMs: 1_000, readAttempts: 2 };

/** A gateway without a network: it answers what a test says, when it says it. */
class TestEdge implements ClientEdge {
  readonly clock = new VirtualClock();
  readonly requests: string[] = [];
  answer: (init: RequestInit) => Promise<Response> = () => Promise.reject(new TypeError('fetch failed'));

  fetch(url: string, init: RequestInit): Promise<Response> {
    this.requests.push(`${this.clock.monotonicMs()} ${init.method ?? 'GET'} ${url}`);
    return this.answer(init);
  }

  setTimer(delayMs: number, run: () => void) {
    return this.clock.setTimer(delayMs, run);
  }
}

/** As `fetch` does: pending until the signal is aborted. */
const silent = ({ signal }: RequestInit): Promise<Response> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));

describe('a client on an edge of its own', () => {
  it('gives up and repeats a read by the time of the edge', async () => {
    const edge = new TestEdge();
    edge.answer = silent;
    const reading = new GatewayClient({ ...options, edge }).reads.account();
    const failed = reading.catch((error: unknown) => error);
    await edge.clock.advance(5_000);
    expect(await failed).toMatchObject({ failure: 'timeout' });
    expect(edge.requests).toEqual(['0 GET http://gateway.test/account', '1100 GET http://gateway.test/account']);
  });

  it('reports a trade request that is not answered as unknown, and sends it once', async () => {
    const edge = new TestEdge();
    edge.answer = silent;
    const client = new GatewayClient({ ...options, edge, tradeTimeoutMs: 2_000 });
    const outcome = client.cancelOrder(7, 'key');
    await edge.clock.advance(2_000);
    expect(await outcome).toMatchObject({ kind: 'unknown' });
    expect(edge.requests).toEqual(['0 DELETE http://gateway.test/orders/7']);
  });

  it('opens a stream again when it has been silent, and ends when its reader leaves', async () => {
    const edge = new TestEdge();
    const headers = { 'content-type': 'text/event-stream' };
    edge.answer = () => Promise.resolve(new Response(new ReadableStream(), { status: 200, headers }));
    const leaving = new AbortController();
    const messages: StreamMessage<TickEventRecord>[] = [];
    const client = new GatewayClient({ ...options, edge });
    const following = (async () => {
      const stream = client.streams.ticks(['EURUSD'], { silenceMs: 1_000, backoffMs: 500, signal: leaving.signal });
      for await (const message of stream) messages.push(message);
    })();
    await edge.clock.advance(1_500);
    expect(messages.map(({ kind }) => kind)).toEqual(['connected', 'disconnected', 'connected']);
    await edge.clock.advance(1_100);
    leaving.abort();
    await following;
    expect(edge.requests.map((text) => text.split(' ')[0])).toEqual(['0', '1500']);
  });
});
