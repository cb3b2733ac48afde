import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { VirtualClock } from '@libs/clock';
import { StreamConnection } from './stream-connection';
import { StreamBatch, StreamFrame } from './stream-frame';
import { WebSocketWire } from './websocket-wire';

describe('a listener on a WebSocket', () => {
  const clock = new VirtualClock();
  let server: WebSocketServer;
  let client: WebSocket;
  let carrier: Socket;
  let connection: StreamConnection;

  beforeEach(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [socket, request] = (await once(server, 'connection')) as [WebSocket, IncomingMessage];
    await once(client, 'open');
    carrier = request.socket;
    connection = new StreamConnection(new WebSocketWire(carrier, socket, clock), clock);
  });
  afterEach(async () => {
    client.terminate();
    server.close();
    await once(server, 'close');
  });

  it('receives the messages of a batch one by one', async () => {
    const frames = [
      new StreamFrame({ event: 'tick', id: 7, data: { symbol: '€' } }),
      new StreamFrame({ event: 'gone', data: [1] }),
    ];
    const texts: string[] = [];
    client.on('message', (text: Buffer) => texts.push(text.toString()));
    connection.write(new StreamBatch(frames));
    while (texts.length < 2) await once(client, 'message');
    expect(texts).toEqual(['{"event":"tick","id":7,"data":{"symbol":"€"}}', '{"event":"gone","data":[1]}']);
  });

  it('is blocked while it does not read, and continues afterwards', async () => {
    const batch = StreamBatch.of({ event: 'test', data: 'x'.repeat(1_000_000) });
    client.pause();
    while (connection.isReady) {
      connection.write(batch);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(carrier.writableLength).toBeLessThan(1_100_000);
    await clock.advance(5_000);
    expect(connection.blockedMs).toBe(5_000);
    const ready = new Promise<void>((resolve) => connection.whenReady(resolve));
    client.resume();
    await ready;
    expect([connection.isReady, connection.blockedMs]).toEqual([true, 0]);
  });

  it('counts as silent from the first ping that it does not answer', async () => {
    client.pause();
    connection.heartbeat();
    await clock.advance(15_000);
    connection.heartbeat();
    await clock.advance(10_000);
    expect(connection.blockedMs).toBe(25_000);
    client.resume();
    while (connection.blockedMs > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(connection.isReady).toBe(true);
  });

  it('is sent nothing after its close', async () => {
    const closed = new Promise<void>((resolve) => connection.whenClosed(resolve));
    client.close();
    await closed;
    expect(connection.isOpen).toBe(false);
    expect(() => connection.heartbeat()).not.toThrow();
  });
});
