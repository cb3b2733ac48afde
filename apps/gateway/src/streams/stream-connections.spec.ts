import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SchedulerRegistry } from '@nestjs/schedule';
import Fastify, { type FastifyInstance } from 'fastify';
import { VirtualClock } from '@libs/clock';
import { MetricsRegistry } from '@libs/metrics';
import { PeriodicWork } from '../schedule/periodic-work';
import type { StreamConnection } from './stream-connection';
import { StreamConnections } from './stream-connections';
import { StreamBatch } from './stream-frame';

describe('the connections of the event streams', () => {
  const clock = new VirtualClock();
  let server: FastifyInstance;
  let accepted: StreamConnection[];

  beforeEach(async () => {
    accepted = [];
    const periodic = new PeriodicWork(clock, new SchedulerRegistry());
    const connections = new StreamConnections(clock, periodic, new MetricsRegistry(), { CORS_ORIGINS: [] });
    server = Fastify({ forceCloseConnections: true });
    server.get('/', (_request, reply) => void accepted.push(connections.accept(reply, 'ticks')));
    await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => server.close());

  const opened = async (): Promise<IncomingMessage> => {
    const { port } = server.server.address() as AddressInfo;
    const request = get({ port, host: '127.0.0.1', agent: false });
    request.on('error', () => undefined);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response.on('error', () => undefined);
  };

  const batch = StreamBatch.of({ event: 'test', data: 'x'.repeat(256 * 1_024) });

  it('disconnect a listener that reads nothing for a minute, and no other', async () => {
    const reading = await opened();
    reading.resume();
    await opened();
    const [live, stalled] = accepted;
    if (!live || !stalled) throw new Error('a listener is missing');
    while (stalled.isReady) {
      for (const connection of [live, stalled]) if (connection.isReady) connection.write(batch);
      await new Promise((resolve) => setImmediate(resolve));
    }
    while (!live.isReady) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(45_000);
    expect([live.isOpen, stalled.isOpen]).toEqual([true, true]);
    await clock.advance(45_000);
    expect([live.isOpen, stalled.isOpen]).toEqual([true, false]);
  });
});
