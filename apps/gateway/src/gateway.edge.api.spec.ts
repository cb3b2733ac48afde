import { basename } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { machineFiles, type Files } from '@libs/files';
import { Simulator, simulatorOptions } from '@libs/simulator';
import { lmdbStores, type StoreEngine } from '@libs/store';
import { readGatewaySettings } from './gateway.config';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from './testing/gateway-under-test';

describe('the edge of the gateway', () => {
  let gateway: GatewayUnderTest | null = null;
  afterEach(async () => {
    await gateway?.stop();
    if (gateway) removeFolder(gateway.folder);
    gateway = null;
  });

  it('opens every store', async () => {
    const opened: string[] = [];
    const stores: StoreEngine = {
      open: (options, define) => {
        opened.push(options.name);
        return lmdbStores.open(options, define);
      },
    };
    gateway = await gatewayUnderTest({ stores });
    expect(opened.sort()).toEqual(['the event log', 'the record of the equity', 'the trade journal']);
  });

  it('opens every durable file', async () => {
    const opened = new Set<string>();
    const { mkdir, chmod, readdir, stat, rm, rename } = machineFiles;
    const files: Files = {
      ...{ mkdir, chmod, readdir, stat, rm, rename },
      open: (path, ...rest) => {
        opened.add(basename(path));
        return machineFiles.open(path, ...rest);
      },
    };
    const clock = new VirtualClock(Date.UTC(2024, 0, 16, 10));
    gateway = await gatewayUnderTest({ files, clock });
    await clock.advance(5_000);
    await gateway.call({ method: 'POST', url: '/kill' });
    await gateway.stop();
    expect([...opened].sort()).toEqual(
      expect.arrayContaining(['kill-switch', 'order-audit.jsonl', 'server-time-offset.json.new']),
    );
  });

  it('generates the ids of the journal, of requests and of intents', async () => {
    let made = 0;
    gateway = await gatewayUnderTest({ newId: () => `made-${++made}` });
    const [health, order] = [
      await gateway.call('/health'),
      await gateway.call({ method: 'POST', url: '/order', payload: { symbol: 'EURUSD', type: 'BUY', volume: 0.1 } }),
    ];
    const { journal } = health.json<{ journal: { id: string } }>();
    expect([journal.id, health.headers['x-request-id'], order.headers['x-request-id']]).toEqual([
      'made-1',
      expect.stringMatching(/^made-/),
      expect.stringMatching(/^made-/),
    ]);
    expect(order.statusCode).toBe(200);
  });

  it('trades through the given terminal', async () => {
    const clock = new VirtualClock(Date.UTC(2024, 0, 16, 10));
    const broker = new Simulator(simulatorOptions(readGatewaySettings({ SIM_LOGIN: '100777' })), clock);
    await broker.start();
    const env = {
      TERMINAL_DRIVER: 'bridge',
      TERMINAL_LOGIN: '100777',
      TERMINAL_PASSWORD: 'simulator',
      TERMINAL_SERVER: 'Simulator-Demo',
    };
    gateway = await gatewayUnderTest({ env, clock, terminal: broker.connect() });
    expect((await gateway.call('/account')).json()).toMatchObject({ login: 100777 });
    await broker.stop();
  });
});
