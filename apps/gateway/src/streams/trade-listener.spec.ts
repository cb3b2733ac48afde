import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createParser } from 'eventsource-parser';
import { VirtualClock } from '@libs/clock';
import { lmdbStores } from '@libs/store';
import { inOrder } from '../account-evidence/account-notices';
import { EventLog } from './event-log';
import { EventLogStore } from './event-log.store';
import { KnownAccount } from './known-account';
import { SseWire } from './sse-wire';
import { StreamConnection } from './stream-connection';
import type { UnnumberedEvent } from './trade-event';
import { TradeListener } from './trade-listener';

const firstSeq = 1_000;
const quiet = { connection: inOrder, differences: new Map(), follow: () => () => undefined };
const account = new KnownAccount();

/** An event large enough that a few hundred fill every buffer between. */
function event(magic: number): UnnumberedEvent {
  const recorded_at = '2026-01-07T10:00:00.000Z';
  const facts = { login: 1, server: 'x'.repeat(20_000), ticket: 1, symbol: 'EURUSD' };
  return { event: 'deal', action: 'added', recorded_at, ...facts, magic };
}

describe('a listener of trades that is slow', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trade-listener-'));
  let store: EventLogStore;
  let log: EventLog;
  let server: Server;
  let answered: Promise<IncomingMessage>;
  let response: ServerResponse;
  let runs = 0;

  beforeEach(async () => {
    store = new EventLogStore(lmdbStores, join(folder, String(runs++)), 1_500, firstSeq);
    log = new EventLog(store, () => undefined);
    server = createServer((_request, each) => void server.emit('stream', each));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
    request.on('error', () => undefined);
    answered = new Promise((resolve) => request.once('response', resolve));
    [response] = (await once(server, 'stream')) as [ServerResponse];
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    await store.close();
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const append = (count: number, magic = 1) =>
    log.append(
      Array.from({ length: count }, () => event(magic)),
      'account',
      account,
    );
  const listen = (since: number, magic?: number, limitBytes = Infinity) => {
    const connection = new StreamConnection(new SseWire(response), new VirtualClock(), limitBytes);
    new TradeListener(log, connection, { since, magic }, quiet).start();
    return connection;
  };
  /** The events that its client receives once it starts to read, up to an id. */
  const readTo = async (id: number): Promise<string[]> => {
    const incoming = await answered;
    const seen: string[] = [];
    const parser = createParser({ onEvent: ({ event: name, id: each }) => seen.push(`${name} ${each}`) });
    incoming.setEncoding('utf8');
    await new Promise<void>((resolve) => {
      incoming.on('data', (chunk: string) => {
        parser.feed(chunk);
        if (seen.at(-1)?.endsWith(` ${id}`) === true) resolve();
      });
    });
    return seen;
  };
  const deals = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `deal ${from + at}`);

  it('receives everything in order once it reads, from memory and from disk', async () => {
    listen(firstSeq - 1);
    for (let batch = 0; batch < 7; batch++) await append(200);
    expect(response.writableLength).toBeLessThan(6_000_000);
    expect(await readTo(firstSeq + 1_399)).toEqual(deals(firstSeq, firstSeq + 1_399));
  });

  it('receives a resync if the log has dropped its next event, and then later events', async () => {
    listen(firstSeq - 1);
    for (let batch = 0; batch < 10; batch++) await append(200);
    const reading = readTo(firstSeq + 2_000);
    await append(1);
    const seen = await reading;
    const resync = seen.findIndex((each) => each.startsWith('resync'));
    const told = seen.slice(0, resync);
    expect(told).toEqual(deals(firstSeq, firstSeq + told.length - 1));
    const [, at] = seen[resync]?.split(' ') ?? [];
    expect(seen.slice(resync + 1)).toEqual(deals(Number(at) + 1, firstSeq + 2_000));
  });

  it('is disconnected when too many bytes of its events have passed it by', async () => {
    const connection = listen(firstSeq - 1, 1, 400_000);
    while (connection.isReady) {
      await append(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    // Each event has some 20 kB.
    await append(50, 2);
    await append(18);
    expect(connection.isOpen).toBe(true);
    await append(2);
    expect(connection.isOpen).toBe(false);
  });

  it('is not delayed by events of others', async () => {
    await append(500, 2);
    await append(1, 7);
    listen(firstSeq - 1, 7);
    expect(await readTo(firstSeq + 500)).toEqual([`deal ${firstSeq + 500}`]);
  });
});
