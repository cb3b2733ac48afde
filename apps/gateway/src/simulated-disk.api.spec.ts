import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { gatewayUnderTest, type GatewayUnderTest } from './testing/gateway-under-test';

const broker = { SIM_HOURS: 'always', SIM_STATE_FILE: '' };
const audit = '/disk/order-audit.jsonl';

/** The product's own composition, with the simulated disk instead of the machine's. */
describe('a gateway on a simulated disk', () => {
  let disk: SimulatedDisk;
  let gateway: GatewayUnderTest;
  let clock: VirtualClock;
  let isRunning: boolean;

  const start = async (): Promise<void> => {
    gateway = await gatewayUnderTest({ clock, ...disk.view, folder: '/disk', env: broker });
  };
  beforeEach(async () => {
    clock = new VirtualClock();
    disk = new SimulatedDisk(clock, () => 0.5);
    isRunning = true;
    void run();
    await start();
  });
  afterEach(async () => {
    await gateway.stop();
    isRunning = false;
  });
  /** Advances virtual time during the test, because the disk needs it. */
  const run = async (): Promise<void> => {
    while (isRunning) await clock.advance(5);
  };

  const order = async (key: string): Promise<string> => {
    const { statusCode, headers } = await gateway.call({
      ...{ method: 'POST', url: '/order', headers: { 'idempotency-key': key } },
      payload: { symbol: 'EURUSD', type: 'BUY', volume: 0.1 },
    });
    return `${statusCode} ${String(headers['idempotent-replayed'])}`;
  };
  const look = async (key: string): Promise<string> => {
    const { statusCode, json } = await gateway.call(`/trade_requests/${key}`);
    return `${statusCode} ${json<{ status?: string }>().status}`;
  };

  /** Waits for an answer, at most a minute. */
  const until = async (url: string, test: (body: Record<string, unknown>) => boolean): Promise<void> => {
    for (let looks = 0; looks < 600; looks++) {
      if (test((await gateway.call(url)).json<Record<string, unknown>>())) return;
      await clock.sleep(100);
    }
    throw new Error(`${url} stays as it is: ${(await gateway.call(url)).body}`);
  };

  it('writes nothing elsewhere', async () => {
    expect(await order('a')).toBe('200 undefined');
    expect(disk.list('/disk')).toEqual([
      ...['/disk', audit, '/disk/state', '/disk/state/equity'],
      ...['/disk/state/equity/data.mdb', '/disk/state/equity/lock.mdb', '/disk/state/trade-events'],
      ...['/disk/state/trade-events/data.mdb', '/disk/state/trade-events/lock.mdb', '/disk/state/trade-journal'],
      ...['/disk/state/trade-journal/data.mdb', '/disk/state/trade-journal/lock.mdb'],
    ]);
    expect(disk.text(audit)).toContain('"client_order_id":"a"');
  });

  it('remembers its answers after a loss of power', async () => {
    expect(await order('a')).toBe('200 undefined');
    disk.crash('power');
    // The dead program is not stopped: it would wait for its disk forever.
    await start();
    expect([await look('a'), await order('a')]).toEqual(['200 completed', '200 true']);
  });

  it('accepts no order on a full disk, and accepts it once there is space', async () => {
    expect(await order('a')).toBe('200 undefined');
    disk.fill();
    await until('/health', (body) => (body.journal as { state: string }).state === 'unavailable');
    expect(await order('b')).toBe('503 undefined');
    disk.makeSpace();
    await until('/health/ready', ({ status }) => status === 'ready');
    expect(await order('b')).toBe('200 undefined');
  });
});
