import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { DaemonProgram, strategyFile, type StatusBody } from './daemon-program';
import { FaultyProxy } from './faulty-proxy';

type Body = Omit<StatusBody, 'positions'> & {
  readonly positions: readonly { readonly broker: string; readonly ticket: number }[];
};

/** It holds its first positions for some seconds, long enough to be seen: their tickets are the same on both, later ones may differ. */
const flip = `if (trade.warmingUp) return;
  const open = trade.position(bar.stream);
  if (open) { if (bars > 80) trade.close(open); } else trade.buy(bar.stream, { volume: bar.stream === 'one' ? 0.1 : 0.3 });`;

describe('a strategy on two gateways', () => {
  const scratch = new Scratch();
  let first: GatewayProgram;
  let second: GatewayProgram;
  let proxy: FaultyProxy;
  let folder: string;

  beforeEach(async () => {
    const account = { SIM_LOGIN: '100002', TERMINAL_LOGIN: '100002' };
    first = await GatewayProgram.startReady(scratch, fastMarket());
    folder = scratch.folder();
    second = await GatewayProgram.startReady(scratch, { ...fastMarket(), ...account, ...more });
    proxy = await FaultyProxy.start(second.url);
    scratch.undo(() => proxy.stop());
  });
  afterEach(() => scratch.clear());

  let more: Readonly<Record<string, string>> = {};
  const config = () => {
    const gateway = (url: string) => ({ url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 0 });
    const streams = { one: 'first:EURUSD@M1', two: 'second:EURUSD@M1' };
    const module = strategyFile(folder, 'both', flip);
    const path = join(folder, 'daemon.yaml');
    const document = {
      gateways: { first: gateway(first.url), second: gateway(proxy.url) },
      strategies: [{ name: 'both', module, magic: 41_001, streams, capital: 20_000 }],
    };
    writeFileSync(path, JSON.stringify(document));
    return path;
  };
  const start = () =>
    DaemonProgram.start(scratch, { config: config(), stateDir: join(folder, 'state'), env: { API_KEY: 'e2e-key' } });
  const until = (daemon: DaemonProgram, satisfies: (body: Body) => boolean) =>
    daemon.until<Body>('/status/both', satisfies);
  const rows = async (gateway: GatewayProgram): Promise<readonly number[]> => {
    const { data } = (await gateway.call('/get_positions')).body as { data: readonly { ticket: number }[] };
    return data.map(({ ticket }) => ticket);
  };
  const earned = async (): Promise<Decimal> => {
    const balances = await Promise.all([first, second].map((gateway) => gateway.call('/account')));
    return balances.reduce((sum, { body }) => sum.plus(body.balance as number).minus(10_000), new Decimal(0));
  };

  it('keeps tickets of the same number apart, and adds up to the cent over both accounts and a kill -9', async () => {
    let daemon = await start();
    const shared = await until(daemon, ({ positions }) => {
      const [one, two] = positions;
      return positions.length === 2 && one?.ticket === two?.ticket && one?.broker !== two?.broker;
    });
    expect(shared.halted).toBe(false);
    await until(daemon, ({ trades }) => trades >= 20);
    await daemon.kill();
    daemon = await start();
    await until(daemon, ({ trades }) => trades >= 30);
    for (const gateway of [first, second]) await gateway.call('/kill', { method: 'POST' });
    const status = await until(daemon, ({ orders }) => orders.blocked >= 4 && orders.inFlight === 0);
    expect(status).toMatchObject({ halted: false, orders: { rejected: daemon.voided, inFlight: 0 } });
    expect(new Decimal(status.realized).toFixed(2)).toBe((await earned()).toFixed(2));
    const of = (broker: string) => status.positions.filter((row) => row.broker === broker).map(({ ticket }) => ticket);
    expect([of('first'), of('second')]).toEqual([await rows(first), await rows(second)]);
  });

  it('goes on with one while the other is down, also with an order in flight there', async () => {
    const daemon = await start();
    await until(daemon, ({ trades }) => trades >= 4);
    proxy.fault = (method) => (method === 'POST' ? 'lost-after' : null);
    await until(daemon, ({ orders }) => orders.unknown >= 1);
    proxy.fault = () => 'lost-before';
    await daemon.untilHealth(({ gateways }) => gateways.some(({ reachable }) => !reachable));
    const { trades } = await until(daemon, () => true);
    const later = await until(daemon, (body) => body.trades > trades + 6);
    expect(later).toMatchObject({ state: 'running', halted: false });
    proxy.fault = () => null;
    await until(daemon, ({ orders }) => orders.inFlight === 0);
    for (const gateway of [first, second]) await gateway.call('/kill', { method: 'POST' });
    const { orders } = await until(daemon, () => true);
    const status = await until(daemon, (body) => {
      return body.orders.blocked >= orders.blocked + 4 && body.orders.inFlight === 0;
    });
    expect(new Decimal(status.realized).toFixed(2)).toBe((await earned()).toFixed(2));
  });

  describe('whose accounts are in different currencies', () => {
    beforeAll(() => (more = { SIM_CURRENCY: 'EUR' }));
    afterAll(() => (more = {}));

    it('is not deployed, and its problem says why', async () => {
      const daemon = await start();
      const status = await until(daemon, ({ state }) => state === 'failed');
      expect(status.problem).toContain('USD on first and EUR on second');
      expect([await rows(first), await rows(second)]).toEqual([[], []]);
    });
  });
});
