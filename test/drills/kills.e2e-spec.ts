import { join } from 'node:path';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { fastMarket } from '../e2e/programs/markets';
import { Scratch } from '../e2e/programs/scratch';
import { configuration, DaemonProgram, strategyFile, type StrategyText } from '../e2e/daemon/daemon-program';
import { flip } from '../e2e/daemon/drill-rig';
import { FaultyProxy } from '../e2e/daemon/faulty-proxy';

const buyOnce = `if (!trade.warmingUp && trade.inFlight + trade.positions().length === 0) trade.buy('main', { volume: 0.1 });`;

describe('the daemon', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let proxy: FaultyProxy;
  let folder: string;

  beforeEach(async () => {
    gateway = await GatewayProgram.startReady(scratch, fastMarket());
    proxy = await FaultyProxy.start(gateway.url);
    scratch.undo(() => proxy.stop());
    folder = scratch.folder();
  });
  afterEach(() => scratch.clear());

  const start = (strategies: readonly StrategyText[], expect: object = {}) =>
    DaemonProgram.start(scratch, {
      config: configuration(folder, proxy.url, strategies, expect),
      stateDir: join(folder, 'state'),
      env: { API_KEY: 'e2e-key' },
    });
  const module = (onBar: string, name = 'probe') => strategyFile(folder, name, onBar);
  const rows = async (): Promise<readonly { magic: number; ticket: number }[]> =>
    (await gateway.call('/get_positions')).body['data'] as { magic: number; ticket: number }[];
  const balance = async (): Promise<number> => Number((await gateway.call('/account')).body['balance']);

  it('waits for a gateway that is away when it starts', async () => {
    proxy.fault = () => 'lost-before';
    const daemon = await start([{ name: 'probe', module: module(buyOnce) }]);
    const before = await daemon.untilHealth(({ perStrategy }) => perStrategy[0]?.state === 'failed');
    expect(before).toMatchObject({ status: 'ok', condition: 'degraded', gateways: [{ reachable: false }] });
    proxy.fault = () => null;
    await daemon.untilStatus('probe', (body) => body.positions.length === 1);
    expect(await daemon.untilHealth(({ condition }) => condition === 'ok')).toMatchObject({
      gateways: [{ reachable: true }],
    });
  });

  it.each(['lost-before', 'lost-after', 'bad-gateway'] as const)(
    'opens one position, under one key, when the way to the gateway fails (%s)',
    async (fault) => {
      let failures = 2;
      proxy.fault = (method, path) => (method === 'POST' && path === '/order' && failures-- > 0 ? fault : null);
      const daemon = await start([{ name: 'probe', module: module(buyOnce) }]);
      const status = await daemon.untilStatus(
        'probe',
        ({ positions, orders }) => positions.length === 1 && orders.inFlight === 0,
      );
      expect(status).toMatchObject({ orders: { unknown: 1 }, trades: 1 });
      expect(new Set(proxy.sends.map(({ key }) => key)).size).toBe(1);
      expect(await rows()).toHaveLength(1);
    },
  );

  it('adds up to the cent over a kill -9 with an order in flight', async () => {
    const strategies = [{ name: 'probe', module: module(flip) }];
    let daemon = await start(strategies);
    await daemon.untilStatus('probe', (body) => body.trades >= 4);
    proxy.fault = (method, path) => (method === 'POST' && path === '/order' ? 'lost-after' : null);
    await daemon.untilStatus('probe', (body) => body.orders.unknown >= 1);
    await daemon.kill();
    proxy.fault = () => null;
    daemon = await start(strategies);
    await daemon.untilStatus('probe', (body) => body.trades >= 10);
    await gateway.call('/kill', { method: 'POST' });
    await daemon.untilStatus('probe', (body) => body.orders.blocked >= 1 && body.orders.inFlight === 0);
    const status = await daemon.status('probe');
    expect(status.halted).toBe(false);
    expect(status.realized).toBeCloseTo((await balance()) - 10_000, 6);
    expect(status.positions.map(({ ticket }) => ticket)).toEqual((await rows()).map(({ ticket }) => ticket));
  });

  it('ends a strategy that loops, starts it again, and lets the others trade', async () => {
    const hang = module(`if (!trade.warmingUp && bars > 3) for (;;);`, 'hang');
    const daemon = await start([
      { name: 'hang', module: hang },
      { name: 'probe', module: module(flip), magic: 41002 },
    ]);
    const health = await daemon.untilHealth(({ perStrategy }) => perStrategy[0]?.state === 'failed');
    expect(health).toMatchObject({ status: 'ok', condition: 'degraded' });
    const { trades } = await daemon.status('probe');
    await daemon.untilStatus('probe', (body) => body.trades > trades + 2);
    await daemon.untilStatus('hang', (body) => body.state === 'running');
  });

  it('halts a strategy that keeps throwing, and names its line', async () => {
    const daemon = await start([
      { name: 'probe', module: module(`if (!trade.warmingUp) throw new Error('no idea');`) },
    ]);
    const status = await daemon.untilStatus('probe', (body) => body.halted);
    expect(status).toMatchObject({ state: 'halted', haltReason: '5 handlers threw in a row' });
    const { body } = await daemon.call<{ lines: string[] }>('/logs/probe?level=error');
    expect(body.lines.join('\n')).toMatch(/no idea.*probe\.ts:12:/);
  });

  it('trades nothing on another account than the one that is expected', async () => {
    const daemon = await start([{ name: 'probe', module: module(flip) }], { login: 999 });
    const status = await daemon.untilStatus('probe', (body) => body.state === 'failed');
    expect(status.problem).toBe('the account behind demo is 100001, expected 999');
    expect(proxy.sends).toEqual([]);
  });

  it('enters nothing more when another account appears behind the same address', async () => {
    const daemon = await start([{ name: 'probe', module: module(flip) }]);
    await daemon.untilStatus('probe', (body) => body.trades >= 2);
    const other = await GatewayProgram.startReady(scratch, {
      ...fastMarket(),
      SIM_LOGIN: '100002',
      TERMINAL_LOGIN: '100002',
      TERMINAL_API_PORT: '0',
    });
    proxy.lead(other.url);
    await daemon.untilHealth(({ gateways }) => String(gateways[0]?.lastError).includes('100002'));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await other.call('/get_positions')).body['data']).toEqual([]);
  });
});
