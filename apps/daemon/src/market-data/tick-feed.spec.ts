import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { VirtualClock } from '@libs/clock';
import { GatewayClient } from '@libs/gateway-client';
import { TickFeed } from './tick-feed';

/** One stream as the gateway's side sees it. */
interface Opened {
  readonly symbols: string;
  readonly lastId: string | undefined;
  readonly response: ServerResponse;
  isOpen: boolean;
}

/** What a quote has beside its prices. */
const rest = { time: 1, last: 0, volume: 0, flags: 6, volume_real: 0 };

describe('TickFeed', () => {
  let server: Server;
  let clock: VirtualClock;
  let feed: TickFeed;
  let streams: Opened[];
  let polled: string[];
  let heard: string[];
  let failures: string[];
  /** Streams are answered at once; else by hand. */
  let answers: (opened: Opened) => void;

  /** Symbols that the broker does not have. */
  let gone: Set<string>;

  const refuse = (response: ServerResponse, error: string): void => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: false, error, error_type: 'not_found' }));
  };
  const accept = ({ response }: Opened): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', 'http://gateway');
    if (url.pathname !== '/stream/ticks') {
      const symbol = url.pathname.slice('/symbol_info_tick/'.length);
      polled.push(symbol);
      if (gone.has(symbol)) return refuse(response, `no quoted symbol ${symbol}`);
      const tick = { ok: true, time_msc: 1, time_utc: '2026-01-07T10:00:00Z', bid: 1.1, ask: 1.2, ...rest };
      return void response.end(JSON.stringify(tick));
    }
    const lastId = request.headers['last-event-id'];
    const symbols = url.searchParams.get('symbols') ?? '';
    const opened: Opened = { symbols, lastId: typeof lastId === 'string' ? lastId : undefined, response, isOpen: true };
    response.on('close', () => (opened.isOpen = false));
    streams.push(opened);
    const unknown = symbols.split(',').filter((symbol) => gone.has(symbol));
    if (unknown.length > 0) return refuse(response, `no symbol ${unknown.join(', ')}`);
    answers(opened);
  };
  const tick = (stream: Opened | undefined, symbol: string, seq: number, symbol_seq: number): void => {
    const data = { seq, symbol_seq, symbol, time_msc: seq, time_utc: null, bid: seq, ask: seq, ...rest };
    stream?.response.write(`id: ${seq}\nevent: tick\ndata: ${JSON.stringify(data)}\n\n`);
  };
  /** Lets time and the sockets go on until something holds; the test's own time limit is the only other end. */
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) {
      await clock.advance(50);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };

  beforeEach(async () => {
    [streams, polled, heard, failures, answers, gone] = [[], [], [], [], accept, new Set()];
    server = createServer(onRequest);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    clock = new VirtualClock();
    const { port } = server.address() as AddressInfo;
    feed = new TickFeed(
      {
        client: new GatewayClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key', readAttempts: 1 }),
        clock,
      },
      {
        receive: (symbol, { quote }) => void heard.push(`${symbol} ${quote.bid}`),
        failed: (what, error) => void failures.push(`${what}: ${String(error)}`),
        lost: (symbol, reason) => void failures.push(`lost ${symbol}: ${reason}`),
      },
    );
  });
  afterEach(async () => {
    feed.stop();
    await clock.advance(60_000);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('subscribes to symbols that are added one after another together, in few streams', async () => {
    const symbols = Array.from({ length: 20 }, (_symbol, index) => `S${index}`);
    for (let count = 1; count <= symbols.length; count++) {
      feed.want(symbols.slice(0, count));
      await clock.advance(20);
    }
    await until(() => feed.streaming);
    expect(streams.length).toBeLessThanOrEqual(3);
    expect(streams.at(-1)?.symbols).toBe(symbols.join(','));
  });

  it('streams the other symbols when the broker has removed one, and streams it again when it is back', async () => {
    gone.add('GBPUSD');
    feed.want(['EURUSD', 'GBPUSD', 'USDJPY']);
    await until(() => feed.streaming);
    expect(streams.at(-1)?.symbols).toBe('EURUSD,USDJPY');
    expect(feed.lostSymbols).toEqual([['GBPUSD', 'no quoted symbol GBPUSD']]);
    tick(streams.at(-1), 'EURUSD', 7, 1);
    await until(() => heard.includes('EURUSD 7'));
    expect(failures.filter((failure) => failure.startsWith('lost'))).toEqual(['lost GBPUSD: no quoted symbol GBPUSD']);
    gone.clear();
    await until(() => feed.lostSymbols.length === 0 && feed.streaming);
    expect(streams.at(-1)?.symbols.split(',').sort()).toEqual(['EURUSD', 'GBPUSD', 'USDJPY']);
  });

  it('finds a symbol that is removed while it is streamed, when another read of it fails', async () => {
    feed.want(['EURUSD', 'GBPUSD']);
    await until(() => feed.streaming);
    gone.add('GBPUSD');
    feed.doubt('GBPUSD');
    await until(() => streams.at(-1)?.symbols === 'EURUSD' && streams.at(-1)?.isOpen === true);
    expect(feed.lostSymbols.map(([symbol]) => symbol)).toEqual(['GBPUSD']);
  });

  it('does not wait for the last of them: the first are streamed while others are still being added', async () => {
    const symbols = Array.from({ length: 60 }, (_symbol, index) => `S${index}`);
    for (let count = 1; count <= symbols.length; count++) {
      feed.want(symbols.slice(0, count));
      await clock.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(streams.length).toBeGreaterThan(1);
    expect(streams[0]?.symbols).not.toContain('S59');
  });

  it('closes the old stream only when the new one is open, and continues from the last quote', async () => {
    feed.want(['EURUSD']);
    await until(() => feed.streaming);
    tick(streams[0], 'EURUSD', 7, 1);
    await until(() => heard.length === 1);
    answers = () => undefined;
    feed.want(['EURUSD', 'GBPUSD']);
    await until(() => streams.length === 2);
    tick(streams[0], 'EURUSD', 8, 2);
    await until(() => heard.includes('EURUSD 8'));
    expect(streams.map(({ isOpen, lastId }) => [isOpen, lastId])).toEqual([
      [true, undefined],
      [true, '7'],
    ]);
    // The new one is asked for, meanwhile.
    await until(() => polled.includes('GBPUSD'));
    expect(polled).not.toContain('EURUSD');
    const second = streams[1];
    if (second) accept(second);
    await until(() => feed.streaming && streams[0]?.isOpen === false);
    tick(second, 'GBPUSD', 9, 1);
    await until(() => heard.includes('GBPUSD 9'));
  });

  it('drops symbols without listeners, and closes the stream with the last of them', async () => {
    feed.want(['EURUSD', 'GBPUSD']);
    await until(() => feed.streaming);
    feed.want(['GBPUSD']);
    await until(() => streams.length === 2 && streams[0]?.isOpen === false);
    expect(streams[1]?.symbols).toBe('GBPUSD');
    feed.want([]);
    await until(() => streams[1]?.isOpen === false);
    const { length } = polled;
    await clock.advance(30_000);
    expect([polled.length, feed.streaming]).toEqual([length, false]);
  });

  it('counts quotes missing from the stream, and reads the symbol again', async () => {
    feed.want(['EURUSD', 'GBPUSD']);
    await until(() => feed.streaming);
    const openedMs = clock.monotonicMs();
    tick(streams[0], 'EURUSD', 10, 1);
    tick(streams[0], 'GBPUSD', 11, 1);
    tick(streams[0], 'EURUSD', 15, 4);
    await until(() => polled.includes('EURUSD'));
    // At once, and not only because the stream has been quiet.
    expect(clock.monotonicMs() - openedMs).toBeLessThan(5_000);
    expect([feed.gaps.gaps, feed.gaps.lost, polled]).toEqual([1, 2, ['EURUSD']]);
  });

  it('counts a gap and reads every symbol when the gateway was restarted, or an event is invalid', async () => {
    feed.want(['EURUSD', 'GBPUSD']);
    await until(() => feed.streaming);
    tick(streams[0], 'EURUSD', 10, 900);
    streams[0]?.response.write('id: 11\nevent: tick\ndata: {"seq":11,"symbol":"EURUSD","bid":null}\n\n');
    tick(streams[0], 'EURUSD', 12, 901);
    await until(() => heard.includes('EURUSD 12') && polled.length >= 2);
    expect([feed.gaps.gaps, [...polled].sort(), streams.length]).toEqual([1, ['EURUSD', 'GBPUSD'], 1]);
  });

  it('polls each quote while there is no stream, and resumes the stream automatically', async () => {
    answers = ({ response }) => response.writeHead(401).end('{"ok":false,"error":"no"}');
    feed.want(['EURUSD']);
    await until(() => heard.length >= 2);
    expect([feed.streaming, failures[0]]).toEqual([false, 'the stream of quotes: GatewayReadError: no']);
    answers = accept;
    await until(() => feed.streaming);
  });

  it('does not accept a page with status 200 as a stream', async () => {
    answers = ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    feed.want(['EURUSD']);
    await until(() => polled.length >= 2);
    expect([feed.streaming, failures.join()]).toEqual([false, expect.stringContaining('no event stream')]);
  });

  it('polls while a stream is silent, because it may have stalled', async () => {
    feed.want(['EURUSD']);
    await until(() => feed.streaming);
    await until(() => polled.length >= 2);
    expect(feed.streaming).toBe(true);
  });
});

describe('a stream that sends nothing at all', () => {
  it('is closed and opened again, and its symbols are polled meanwhile', async () => {
    let opened = 0;
    let polls = 0;
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/stream') === true) {
        opened++;
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      } else {
        polls++;
        response.end(JSON.stringify({ ok: true, time_msc: 1, time_utc: null, bid: 1, ask: 1, ...rest }));
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const clock = new VirtualClock();
    const failures: string[] = [];
    const feed = new TickFeed(
      {
        client: new GatewayClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' }),
        ...{ clock, silenceMs: 20 },
      },
      { receive: () => undefined, lost: () => undefined, failed: (_what, error) => void failures.push(String(error)) },
    );
    feed.want(['EURUSD']);
    while (opened < 2 || polls < 1) {
      await clock.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(failures[0]).toContain('the stream delivered nothing for too long');
    feed.stop();
    await clock.advance(60_000);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
