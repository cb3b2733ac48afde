import {
  type GatewayUnderTest,
  gatewayUnderTest,
  removeFolder,
} from '../../apps/gateway/src/testing/gateway-under-test';
import type { ServingProcess } from './child-process';
import { CleanUp } from './clean-up';
import { describeWithPython } from './python';
import { account, ServedSimulator, startBridge, token } from './subjects';

describeWithPython('the gateway before the bridge before the stand-in package (needs python3)', () => {
  let simulator: ServedSimulator;
  let bridge: ServingProcess;
  let gateway: GatewayUnderTest;
  const cleanUp = new CleanUp();

  beforeAll(async () => {
    simulator = cleanUp.after(await ServedSimulator.start(), (started) => started.stop());
    bridge = await startBridge(simulator);
    cleanUp.after(null, () => bridge.stop());
    gateway = await gatewayUnderTest({
      env: {
        TERMINAL_DRIVER: 'bridge',
        TERMINAL_BRIDGE_ADDR: `127.0.0.1:${bridge.port}`,
        TERMINAL_BRIDGE_TOKEN: token,
        TERMINAL_LOGIN: String(account.login),
        TERMINAL_PASSWORD: account.password,
        TERMINAL_SERVER: account.server,
        TERMINAL_TRADE_TIMEOUT_MS: '20000',
        TERMINAL_RECONNECT_BASE_DELAY: '0.05',
        TERMINAL_RECONNECT_COOLDOWN_SECONDS: '0.2',
        TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens',
      },
    });
    cleanUp.after(gateway, async ({ stop, folder }) => {
      await stop();
      removeFolder(folder);
    });
    await untilTerminalIs('connected');
  });
  afterAll(() => cleanUp.run());

  async function get(url: string): Promise<Record<string, unknown>> {
    return (await gateway.call(url)).json();
  }

  async function untilTerminalIs(state: string): Promise<void> {
    while ((await get('/health'))['terminal_status'] !== state) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  function buy(key: string) {
    return gateway.call({
      ...{ method: 'POST', url: '/order', headers: { 'idempotency-key': key } },
      payload: { symbol: 'EURUSD', volume: 0.1, type: 'BUY' },
    });
  }

  async function positions(): Promise<unknown[]> {
    return (await get('/get_positions'))['data'] as unknown[];
  }

  it('reads the account, quotes and bars of the terminal', async () => {
    expect(await get('/account')).toMatchObject({ ok: true });
    expect(await get('/health')).toMatchObject({ account: account.login, connection: { driver: 'bridge' } });
    expect(await get('/fetch_data_pos?symbol=EURUSD&timeframe=M1&num_bars=10')).toMatchObject({ ok: true });
    expect(((await get('/fetch_data_pos?symbol=EURUSD&num_bars=10'))['data'] as unknown[]).length).toBe(10);
  });

  it('places an order once, and replays its answer to the same key', async () => {
    const before = (await positions()).length;
    const first = await buy('key-1');
    expect(first.statusCode).toBe(200);
    const second = await buy('key-1');
    expect([second.statusCode, second.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect(second.json()).toEqual(first.json());
    expect((await positions()).length).toBe(before + 1);
  });

  it('says unknown outcome when the link breaks after the server acted, and never sends it again', async () => {
    const before = (await positions()).length;
    await simulator.setFault({ kind: 'drop-after-send', times: 1 });
    const answer = await buy('key-2');
    expect([answer.statusCode, answer.json()]).toMatchObject([502, { error_type: 'unknown_outcome' }]);
    await untilTerminalIs('connected');
    expect((await positions()).length).toBe(before + 1);
    await buy('key-2');
    expect((await positions()).length).toBe(before + 1);
  });

  it('rejects an order by the name of the terminal option that closes it to programs', async () => {
    const before = (await positions()).length;
    await simulator.setFault({ kind: 'trading-off', by: 'api' });
    const answer = await buy('key-8');
    await simulator.clearFaults();
    expect([answer.statusCode, answer.json()]).toMatchObject([422, { error_type: 'broker_rejected' }]);
    expect(answer.body).toContain('Disable algorithmic trading via external Python API');
    expect((await positions()).length).toBe(before);
  });

  it('waits for a send that holds the lock of the package for 16 seconds, and keeps the session', async () => {
    const before = (await positions()).length;
    const { connection } = await get('/health');
    const { since } = connection as { since: string };
    await simulator.setFault({ kind: 'latency', ms: 16_000, calls: 'sends' });
    const sending = buy('key-3');
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const read = await gateway.call('/get_positions');
    expect([read.statusCode, read.json()]).toMatchObject([503, { details: { reason: 'busy' } }]);
    expect(read.body).toContain('orderSend has been running for');
    const answer = await sending;
    expect([answer.statusCode, answer.json()]).toMatchObject([200, { ok: true }]);
    await simulator.clearFaults();
    expect(await get('/health')).toMatchObject({ terminal_status: 'connected', connection: { since } });
    expect((await positions()).length).toBe(before + 1);
  });

  it('answers 503 at once while the bridge is gone, and recovers without a restart', async () => {
    const { port } = bridge;
    await bridge.kill();
    await gateway.call('/account');
    const answer = await gateway.call('/account');
    expect(answer.statusCode).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    bridge = await startBridge(simulator, { port });
    await untilTerminalIs('connected');
    expect((await gateway.call('/account')).statusCode).toBe(200);
  });
});
