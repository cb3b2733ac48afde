import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { GatewayClient, GatewayReadError, signalEventText, type StreamMessage } from './index';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const stream =
  (...chunks: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of chunks) response.write(chunk);
  };
const endingStream =
  (...chunks: readonly string[]): Answer =>
  (response, request) => {
    stream(...chunks)(response, request);
    response.end();
  };
const added = {
  ...{ event: 'deal', action: 'added', recorded_at: '2026-01-07T10:30:20Z' },
  ...{ login: 100001, server: 'Simulator-Demo' },
};
const event = (id: number) => `id: ${id}\nevent: deal\ndata: ${JSON.stringify({ seq: id, ...added })}\n\n`;

describe('a stream of the gateway', () => {
  let server: Server;
  let answers: Answer[];
  let seen: IncomingMessage[];
  let client: GatewayClient;
  let abort: AbortController;

  beforeEach(async () => {
    answers = [];
    seen = [];
    abort = new AbortController();
    server = createServer((request, response) => {
      seen.push(request);
      (answers.shift() ?? stream())(response, request);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    client = new GatewayClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' });
  });

  afterEach(async () => {
    abort.abort();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const trades = (more: { since?: number; magic?: number; silenceMs?: number } = {}) =>
    client.streams.trades({ backoffMs: 1, signal: abort.signal, ...more });
  /** The first `count` messages. */
  const taken = async <Event>(messages: AsyncGenerator<StreamMessage<Event>>, count: number) => {
    const told: (string | number)[] = [];
    for await (const message of messages) {
      told.push(message.kind === 'event' ? message.id : message.kind);
      if (told.length === count) break;
    }
    return told;
  };

  it('ends at once when it is aborted, however much memory was collected since it began', async () => {
    const [before, after] = [event(1), event(2)];
    answers.push((response) => {
      stream(before)(response, seen[0] as IncomingMessage);
      setTimeout(() => response.write(after), 1);
    });
    const told: number[] = [];
    for await (const message of trades({ silenceMs: 2_000_000_000 })) {
      if (message.kind !== 'event') continue;
      told.push(message.id);
      if (message.id < 2) continue;
      // Abort once the stream waits for its next event.
      setTimeout(() => {
        collectGarbage();
        setTimeout(() => {
          collectGarbage();
          abort.abort();
        }, 20);
      }, 20);
    }
    expect(told).toEqual([1, 2]);
  });

  it('delivers events with their ids, regardless of chunk boundaries', async () => {
    const [head, tail] = [event(1).slice(0, 17), event(1).slice(17) + event(2)];
    answers = [stream(': heartbeat\n\n', head, tail)];
    expect(await taken(trades(), 3)).toEqual(['connected', 1, 2]);
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer key', accept: 'text/event-stream' });
  });

  it('reconnects after a break, from the last event', async () => {
    answers = [endingStream(event(1), event(2)), endingStream(), stream(event(3))];
    expect(await taken(trades({ magic: 5 }), 8)).toEqual([
      ...['connected', 1, 2, 'disconnected'],
      ...['connected', 'disconnected'],
      ...['connected', 3],
    ]);
    expect(seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '2']);
    expect(seen[0]?.url).toBe('/stream/trades?magic=5');
  });

  it('reconnects to its starting point if it breaks before any event', async () => {
    answers = [endingStream('id: 41\nevent: ready\ndata: {"seq":41}\n\n'), stream(event(42))];
    expect(await taken(trades(), 4)).toEqual(['connected', 'disconnected', 'connected', 42]);
    expect(seen[1]?.headers['last-event-id']).toBe('41');
  });

  it('continues from an event of an earlier run', async () => {
    answers = [stream(event(8))];
    await taken(trades({ since: 7 }), 2);
    expect(seen[0]?.headers['last-event-id']).toBe('7');
  });

  it('sends resync to its reader, and continues after that', async () => {
    const resync = 'id: 90\nevent: resync\ndata: {"event":"resync","reason":"too_old"}\n\n';
    answers = [endingStream(resync), stream(event(91))];
    expect(await taken(trades({ since: 7 }), 5)).toEqual(['connected', 'resync', 'disconnected', 'connected', 91]);
    expect(seen[1]?.headers['last-event-id']).toBe('90');
  });

  it.each(['{"seq":', '"text"', '{"seq":2,"event":"deal"}'])(
    'reports an unreadable event, and continues (%s)',
    async (data) => {
      answers = [stream(event(1), `id: 2\nevent: deal\ndata: ${data}\n\n`, event(3))];
      expect(await taken(trades(), 4)).toEqual(['connected', 1, 'resync', 3]);
    },
  );

  it('treats a page that is not an event stream as a failure, and retries', async () => {
    const page: Answer = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    answers = [page, stream(event(1))];
    expect(await taken(trades(), 3)).toEqual(['disconnected', 'connected', 1]);
  });

  it('treats a silent connection as dead', async () => {
    answers = [stream(event(1)), stream(event(2))];
    expect(await taken(trades({ silenceMs: 1_000 }), 5)).toEqual(['connected', 1, 'disconnected', 'connected', 2]);
  });

  it('retries while the gateway has no terminal', async () => {
    const body = JSON.stringify({ ok: false, error: 'no', error_type: 'terminal_unavailable', request_id: 'x' });
    answers = [(response) => response.writeHead(503).end(body), stream(event(1))];
    expect(await taken(trades(), 3)).toEqual(['disconnected', 'connected', 1]);
  });

  it('gives up if the gateway rejects it permanently', async () => {
    const body = JSON.stringify({ ok: false, error: 'no', error_type: 'authentication_error', request_id: 'x' });
    answers = [(response) => response.writeHead(401).end(body)];
    const failed = await taken(trades(), 1).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(GatewayReadError);
    expect(failed).toMatchObject({ failure: 'refused', status: 401, errorType: 'authentication_error' });
    expect(seen).toHaveLength(1);
  });

  it('ends when its reader aborts it', async () => {
    answers = [stream(event(1))];
    const messages = trades();
    await messages.next();
    await messages.next();
    const next = messages.next();
    abort.abort();
    expect((await next).done).toBe(true);
  });

  it('reports why the terminal is not to be relied on, and differences, and ignores what it does not know', async () => {
    const message = 'position 5 is not shown; no deal has closed it';
    const connection = { event: 'connection', connected: true, reason: 'synchronizing', message, tickets: [5] };
    const row = {
      kind: 'level_mismatch',
      ticket: 5,
      symbol: 'EURUSD',
      intent_id: null,
      field: 'sl',
      expected: 1,
      actual: 0,
    };
    const difference = { event: 'difference', action: 'began', magic: 7, message: 'sl of position 5 is 0', ...row };
    const alert = { number: 3, source: 'trend', alert: 'buy EURUSD', reason: 'no size' };
    const log = { seq: 9, recorded_at: '2026-01-05T10:00:00.250Z', login: 1, server: 'Demo' };
    const refused = { event: 'signal', action: 'refused', ...log, symbol: 'EURUSD', signal: alert };
    const texts = [connection, { event: 'weather', is: 'fine' }, difference].map(
      (data) => `event: ${data.event}\ndata: ${JSON.stringify(data)}\n\n`,
    );
    answers = [stream(`${texts.join('')}id: 9\nevent: signal\ndata: ${JSON.stringify(refused)}\n\n`)];
    const messages = trades();
    await messages.next();
    const { event: _, ...terminal } = connection;
    expect((await messages.next()).value).toEqual({ kind: 'terminal', ...terminal });
    expect((await messages.next()).value).toEqual({ kind: 'difference', difference });
    const { value: last } = await messages.next();
    expect(last).toEqual({ kind: 'signal', id: 9, event: refused });
    expect(last?.kind === 'signal' && signalEventText(last.event)).toBe(
      'signal refused  alert 3 of trend: buy EURUSD  no size',
    );
    await messages.return(undefined);
  });

  it('reports the loss of the terminal behind the quotes', async () => {
    answers = [stream('event: connection\ndata: {"connected":false}\n\n')];
    const ticks = client.streams.ticks(['EURUSD', 'GBPUSD'], { backoffMs: 1, signal: abort.signal });
    await ticks.next();
    expect((await ticks.next()).value).toEqual({
      ...{ kind: 'terminal', connected: false, reason: null, message: null, tickets: [] },
    });
    await ticks.return(undefined);
    expect(seen[0]?.url).toBe('/stream/ticks?symbols=EURUSD%2CGBPUSD');
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
