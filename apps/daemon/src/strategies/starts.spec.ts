import { join } from 'node:path';
import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig } from '../testing/fleet-rig';

const aliases = ['a', 'b', 'c', 'd', 'e'];

describe('strategies that start at the same time', () => {
  let gateway: ContractGateway;
  let rig: FleetRig;
  let routes: string[];

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    routes = [];
    gateway.onRead = (route) => void routes.push(route);
    const children = Object.fromEntries(aliases.map((alias) => [alias, ['demo']]));
    const module = join(__dirname, '../../../../strategies/mean-reversion.ts');
    rig = await FleetRig.start({ gateways: { demo: gateway }, children, module });
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  const loaded = (): number => rig.threads.idPrefixes.length;
  const startAll = (): Promise<unknown> => Promise.all(rig.fleet.strategies.map((strategy) => strategy.start()));
  const settled = async (until: () => boolean): Promise<void> => {
    while (!until()) await new Promise((resolve) => setTimeout(resolve, 5));
    // Time for further loads, if any began.
    await new Promise((resolve) => setTimeout(resolve, 100));
  };

  it('share the reads of the account, and load two at a time', async () => {
    const starting = startAll();
    await settled(() => loaded() === 2);
    expect(loaded()).toBe(2);
    expect(routes.filter((route) => route === 'get_positions').length).toBeLessThan(aliases.length);
    // The threads of this rig never answer: the watchdog ends them, and the next ones load.
    await rig.clock.advance(2_000);
    await settled(() => loaded() >= 4);
    for (const strategy of rig.fleet.strategies) void strategy.pause();
    for (let step = 0; step < 5; step++) await rig.clock.advance(2_000);
    await starting;
  });

  it('wait for a gateway without a session with its terminal, without counting as failing', async () => {
    gateway.always = { status: 503, body: { ok: false, error: 'no session', error_type: 'terminal_unavailable' } };
    const [strategy] = rig.fleet.strategies;
    await strategy?.start();
    for (let step = 0; step < 8; step++) {
      await rig.clock.advance(2_000);
      await settled(() => strategy?.problem !== null);
    }
    expect([strategy?.state, strategy?.problem]).toEqual(['starting', 'waits for its account: no session']);
    expect([strategy?.restarts.isLooping, loaded()]).toEqual([false, 0]);
    gateway.always = null;
  });

  it('fail without a crash loop while their gateway does not answer at all', async () => {
    await gateway.stop();
    const [strategy] = rig.fleet.strategies;
    await strategy?.start();
    for (let step = 0; step < 8; step++) {
      await rig.clock.advance(30_000);
      await settled(() => strategy?.problem !== null);
    }
    expect([strategy?.state, strategy?.restarts.count]).toEqual(['failed', 8]);
    expect([strategy?.restarts.isLooping, strategy?.restarts.failuresInARow]).toEqual([false, 0]);
  });

  it('wait for an account that is not explained without counting as failing, and load soon after it is', async () => {
    const message = 'position 5 is not shown; no deal has closed it';
    gateway.unexplained = [{ kind: 'position_missing', ticket: 5, symbol: 'EURUSD', message }];
    gateway.hidesLists = true;
    const [strategy] = rig.fleet.strategies;
    await strategy?.start();
    for (let step = 0; step < 8; step++) {
      await rig.clock.advance(2_000);
      await settled(() => strategy?.problem !== null);
    }
    expect(strategy?.state).toBe('starting');
    expect(strategy?.problem).toMatch(/^waits for its account: /);
    expect(strategy?.problem).toContain(message);
    expect([strategy?.restarts.isLooping, loaded()]).toEqual([false, 0]);
    gateway.unexplained = [];
    gateway.hidesLists = false;
    await rig.clock.advance(2_000);
    await settled(() => loaded() === 1);
    void strategy?.pause();
    for (let step = 0; step < 5; step++) await rig.clock.advance(2_000);
  });

  it('do not wait for the money of an account whose positions are explained', async () => {
    gateway.unexplained = [
      { kind: 'balance_without_deals', ticket: null, symbol: null, message: 'the balance changed' },
    ];
    gateway.hidesMoney = true;
    const [strategy] = rig.fleet.strategies;
    void strategy?.start();
    await settled(() => loaded() === 1);
    expect([strategy?.state, strategy?.problem]).toEqual(['starting', null]);
    expect(strategy?.accounts.seen).toMatchObject([
      { state: 'synchronizing', reason: expect.stringContaining('the balance changed') as unknown },
    ]);
    gateway.unexplained = [];
    gateway.hidesMoney = false;
    void strategy?.pause();
    for (let step = 0; step < 5; step++) await rig.clock.advance(2_000);
  });

  it('do not load when they are stopped before their turn, and report no failure', async () => {
    const starting = startAll();
    await settled(() => loaded() === 2);
    const stopping = Promise.all(rig.fleet.strategies.map((strategy) => strategy.pause()));
    for (let step = 0; step < 5; step++) await rig.clock.advance(2_000);
    await Promise.all([starting, stopping]);
    expect(loaded()).toBe(2);
    expect(rig.fleet.strategies.map(({ problem }) => problem)).toEqual(aliases.map(() => null));
  });
});
