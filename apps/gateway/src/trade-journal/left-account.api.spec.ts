import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { gatewayUnderTest, type GatewayUnderTest } from '../testing/gateway-under-test';
import { passUntilDone } from '../testing/passing-time';

const env = { SIM_HOURS: 'always', SIM_STATE_FILE: '', TERMINAL_CONNECTION_VERIFY_TTL_SECONDS: '0' };
const slowMs = 1_000;

describe('an account that changes while an intent is being written', () => {
  let clock: VirtualClock;
  let gateway: GatewayUnderTest;
  let disk: SimulatedDisk;
  beforeEach(async () => {
    clock = new VirtualClock();
    disk = new SimulatedDisk(clock, () => 0.5);
    gateway = await pass(gatewayUnderTest({ clock, ...disk.view, folder: '/disk', env }));
  });
  afterEach(() => pass(gateway.stop()));

  const pass = <T>(pending: Promise<T>): Promise<T> => passUntilDone(clock, pending, 5);

  it('receives nothing: the request is answered as not sent', async () => {
    disk.setPace({ commitMs: slowMs });
    const order = gateway.call({
      ...{ method: 'POST', url: '/order', headers: { 'idempotency-key': 'a' } },
      payload: { symbol: 'EURUSD', type: 'BUY', volume: 0.1 },
    });
    // The account was confirmed, and its intent is being written.
    await pass(clock.sleep(slowMs / 5));
    gateway.simulator?.faults.set({ kind: 'other-account', login: 900_001 });
    gateway.simulator?.faults.set({ kind: 'login-refused' });
    expect((await pass(gateway.call('/account'))).statusCode).toBe(503);
    const answer = await pass(order);
    expect([answer.statusCode, answer.json()]).toMatchObject([503, { error_type: 'reconnect_cooldown' }]);
    gateway.simulator?.faults.clear();
    disk.setPace({ commitMs: 0 });
    while ((await pass(gateway.call('/health/ready'))).statusCode !== 200) await pass(clock.sleep(1_000));
    expect((await pass(gateway.call('/get_positions'))).json()).toMatchObject({ data: [] });
    expect((await pass(gateway.call('/trade_requests/a'))).json()).not.toMatchObject({ status: 'unknown' });
  });
});
