import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { VirtualClock } from '@libs/clock';
import { SseWire } from './sse-wire';
import { StreamConnection } from './stream-connection';
import { StreamBatch } from './stream-frame';

const batch = (data: string) => StreamBatch.of({ event: 'test', data });

describe('a listener’s connection', () => {
  let server: Server;

  beforeEach(async () => {
    server = createServer((_request, response) => void server.emit('stream', response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const opened = async () => {
    const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
    request.on('error', () => undefined);
    const answered = new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
    const [response] = (await once(server, 'stream')) as [ServerResponse];
    return { request, response, answered };
  };

  it('reports that it is closed, also to later callers', async () => {
    const { request, response } = await opened();
    const connection = new StreamConnection(new SseWire(response), new VirtualClock());
    const closed = new Promise<void>((resolve) => connection.whenClosed(resolve));
    request.destroy();
    await closed;
    await new Promise<void>((resolve) => connection.whenClosed(resolve));
    expect(connection.isOpen).toBe(false);
    expect(() => connection.write(batch('late'))).not.toThrow();
  });

  it('is blocked while its client does not read', async () => {
    const clock = new VirtualClock();
    const { request, response, answered } = await opened();
    const connection = new StreamConnection(new SseWire(response), clock);
    while (connection.isReady) {
      connection.write(batch('x'.repeat(1_000_000)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await clock.advance(5_000);
    expect(connection.blockedMs).toBe(5_000);
    const ready = new Promise<void>((resolve) => connection.whenReady(resolve));
    (await answered).resume();
    await ready;
    expect([connection.isReady, connection.blockedMs]).toEqual([true, 0]);
    request.destroy();
  });
});
