import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { VirtualClock } from '@libs/clock';
import { SseWire } from './sse-wire';
import { StreamConnection } from './stream-connection';
import { StreamBatch, StreamFrame } from './stream-frame';
import { TickListener } from './tick-listener';

/** A frame as large as a socket's buffers, so that a few of them block it. */
function frames(symbol: string, number: number) {
  const frame = new StreamFrame({ event: `${symbol} ${number}`, data: 'x'.repeat(1_000_000) });
  return { bySymbol: new Map([[symbol, frame]]), batch: new StreamBatch([frame]) };
}

describe('a listener of ticks that does not read', () => {
  let server: Server;
  let client: IncomingMessage;
  let response: ServerResponse;
  let listener: TickListener;

  beforeEach(async () => {
    server = createServer((_request, response) => void server.emit('stream', response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
    request.on('error', () => undefined);
    [response] = (await once(server, 'stream')) as [ServerResponse];
    response.writeHead(200);
    response.write('\n');
    [client] = (await once(request, 'response')) as [IncomingMessage];
    client.on('error', () => undefined);
    listener = listenerTo(Infinity);
  });

  const listenerTo = (limitBytes?: number) =>
    new TickListener(new StreamConnection(new SseWire(response), new VirtualClock(), limitBytes));

  afterEach(async () => {
    client.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('is skipped forward to the newest tick of each symbol', async () => {
    const offered = 100;
    for (let number = 1; number <= offered; number++) {
      listener.offer(frames('EURUSD', number));
      listener.offer(frames('GBPUSD', number));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const seen: string[] = [];
    let text = '';
    client.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      seen.push(...lines.flatMap((line) => (line.startsWith('event: ') ? [line.slice('event: '.length)] : [])));
    });
    while (!(seen.includes(`EURUSD ${offered}`) && seen.includes(`GBPUSD ${offered}`))) await once(client, 'data');
    expect(seen.length).toBeLessThan(offered);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('is disconnected when eight mebibytes have passed it by', async () => {
    listener = listenerTo();
    let offered = 0;
    while (listener.connection.isReady) {
      listener.offer(frames('EURUSD', offered++));
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (let passed = 0; passed < 8; passed++) listener.offer(frames('EURUSD', offered++));
    expect(listener.connection.isOpen).toBe(true);
    listener.offer(frames('EURUSD', offered++));
    expect(listener.connection.isOpen).toBe(false);
  });

  it('starts from zero again when it has read', async () => {
    listener = listenerTo();
    let offered = 0;
    for (let round = 0; round < 3; round++) {
      while (listener.connection.isReady) {
        listener.offer(frames('EURUSD', offered++));
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (let passed = 0; passed < 5; passed++) listener.offer(frames('EURUSD', offered++));
      const ready = new Promise<void>((resolve) => listener.connection.whenReady(resolve));
      client.resume();
      await ready;
      client.pause();
    }
    expect(listener.connection.isOpen).toBe(true);
  });
});
