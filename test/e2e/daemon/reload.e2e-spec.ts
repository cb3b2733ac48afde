import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { configuration, DaemonProgram } from './daemon-program';
import { flip, holdOne } from './drill-rig';
import { tell, ReloadRig, type ConfigBody } from './reload-rig';

describe('SIGHUP', () => {
  const scratch = new Scratch();
  let rig: ReloadRig;

  beforeEach(async () => {
    rig = await ReloadRig.ready(scratch);
  });
  afterEach(() => scratch.clear());

  it('starts what was added, and leaves the others alone', async () => {
    const kept = { name: 'kept', module: rig.module(tell('bar'), 'kept') };
    await rig.start([kept]);
    await rig.untilLine('kept', /bar \d/);
    rig.write([{ name: 'fresh', module: rig.module(flip), magic: 41002 }, kept]);
    expect(await rig.reload()).toMatchObject({
      outcome: 'applied',
      added: ['fresh'],
      removed: [],
      changed: [],
      problems: [],
    });
    await rig.daemon.untilStatus('fresh', ({ trades }) => trades >= 2);
    const [fresh, other] = await rig.rows();
    expect([fresh?.name, other?.name]).toEqual(['fresh', 'kept']);
    expect((await fetch(`http://127.0.0.1:${fresh?.port}/health`)).status).toBe(200);
    expect((await rig.lines('kept')).filter((line) => line.includes('running'))).toHaveLength(1);
    const bars = (await rig.lines('kept')).flatMap((line) => / bar (\d+)/.exec(line)?.[1] ?? []).map(Number);
    expect(bars).toEqual(bars.map((_bar, index) => (bars[0] ?? 0) + index));
  });

  it('stops what was removed, says what it leaves behind, and goes on with it when it comes back', async () => {
    const gone = { name: 'gone', module: rig.module(holdOne), magic: 41002 };
    // Under the magic of the one that goes: its position must not be a stranger to it.
    const heir = { name: 'heir', module: rig.module(tell('bar'), 'kept'), magic: 41002 };
    const kept = { name: 'kept', module: rig.module(tell('bar'), 'kept') };
    await rig.start([kept, gone]);
    await rig.daemon.untilStatus('gone', (body) => body.positions.length === 1);
    const port = (await rig.rows())[1]?.port;
    const followed = (await rig.daemon.follow('/logs/gone?follow=true')).text();
    rig.write([kept, heir]);
    expect(await rig.reload()).toMatchObject({ outcome: 'applied', removed: ['gone'], added: ['heir'] });
    expect(rig.daemon.program.output).toContain('a removed strategy left a position open; it is no longer managed');
    expect((await rig.daemon.call('/status/gone')).status).toBe(404);
    // Its follower is ended, and its log stays readable.
    expect(await followed).toContain('removed from the configuration');
    expect((await rig.lines('gone')).at(-1)).toContain('removed from the configuration');
    expect(await (await rig.daemon.follow('/logs/gone?follow=true')).text()).toContain('removed from the');
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
    expect((await rig.daemon.call('/metrics')).text).not.toContain('strategy="gone"');
    const [position] = await rig.positions();
    await rig.untilLine('heir', /bar 3/);
    expect(await rig.daemon.status('heir')).toMatchObject({ halted: false, positions: [] });
    rig.write([kept, gone]);
    expect(await rig.reload()).toMatchObject({ outcome: 'applied', added: ['gone'], removed: ['heir'] });
    expect(await rig.daemon.status('gone')).toMatchObject({ trades: 1, positions: [{ ticket: position?.ticket }] });
  });

  it('cancels the pending orders of what was removed', async () => {
    const order = `if (!trade.warmingUp && trade.orders().length === 0)
      trade.buy('main', { kind: 'limit', volume: 0.1, price: bar.close * 0.9 });`;
    await rig.start([
      { name: 'kept', module: rig.module(flip, 'kept') },
      { name: 'gone', module: rig.module(order), magic: 41002 },
    ]);
    await rig.daemon.untilStatus('gone', ({ pendingOrders }) => pendingOrders.length === 1);
    rig.write([{ name: 'kept', module: rig.module(flip, 'kept') }]);
    expect(await rig.reload()).toMatchObject({ outcome: 'applied', removed: ['gone'] });
    expect((await rig.gateway.call('/orders')).body['data']).toEqual([]);
  });

  it('changes nothing for an invalid configuration, and shows every problem', async () => {
    await rig.start([{ name: 'probe', module: rig.module(flip) }]);
    const loadedAt = (await rig.daemon.call<ConfigBody>('/health')).body.config.loadedAt;
    writeFileSync(join(rig.folder, 'daemon.yaml'), 'gateways: [unclosed');
    expect(await rig.reload()).toMatchObject({ outcome: 'refused', problems: [expect.stringContaining('line')] });
    const document = { gateways: { demo: { url: 'nowhere', apiKeyEnv: 'API_KEY' } }, strategies: [{ nam: 'x' }] };
    writeFileSync(join(rig.folder, 'daemon.yaml'), JSON.stringify(document));
    const { problems } = await rig.reload();
    expect(problems).toEqual(expect.arrayContaining([expect.stringContaining('did you mean name?')]));
    expect(problems.length).toBeGreaterThan(3);
    rig.write([{ name: 'probe', module: rig.module(flip) }]);
    const moved = configuration(rig.folder, 'http://127.0.0.1:1', [{ name: 'probe', module: rig.module(flip) }]);
    expect(moved).toContain('daemon.yaml');
    expect((await rig.reload()).problems).toEqual([expect.stringMatching(/gateways\.demo\.url has changed: restart/)]);
    expect((await rig.daemon.call<ConfigBody>('/health')).body.config.loadedAt).toBe(loadedAt);
    const { trades } = await rig.daemon.status('probe');
    await rig.daemon.untilStatus('probe', (body) => body.trades > trades + 2);
  });

  it('puts a removal off while the outcome of a request is unknown', async () => {
    await rig.start([
      { name: 'kept', module: rig.module(tell('bar'), 'kept') },
      { name: 'gone', module: rig.module(holdOne), magic: 41002 },
    ]);
    await rig.daemon.untilStatus('gone', (body) => body.positions.length === 1);
    rig.proxy.fault = (method, path) =>
      method === 'POST' || /^.(trade_requests|reconcile)/.test(path) ? 'lost-after' : null;
    // Closed by hand: the strategy enters again, and its answer is lost.
    const [position] = await rig.positions();
    await rig.gateway.trade('/close_position', { position: { ticket: position?.ticket } });
    await rig.daemon.untilStatus('gone', ({ orders }) => orders.inFlight === 1);
    rig.write([{ name: 'kept', module: rig.module(tell('bar'), 'kept') }]);
    const report = await rig.reload();
    expect(report).toMatchObject({
      outcome: 'partial',
      removed: [],
      problems: ['gone: the outcome of a request is not known yet'],
    });
    rig.proxy.fault = () => null;
    await rig.daemon.untilStatus('gone', ({ orders, state }) => orders.inFlight === 0 && state === 'running');
    expect(await rig.reload()).toMatchObject({ outcome: 'applied', removed: ['gone'] });
  });

  it('is kept when it comes while the daemon is still starting', async () => {
    const config = rig.write([{ name: 'probe', module: rig.module(flip) }]);
    rig.proxy.fault = (_method, path) => (path === '/account' ? { lateMs: 700 } : null);
    const starting = DaemonProgram.start(scratch, {
      config,
      stateDir: join(rig.folder, 'state'),
      env: { API_KEY: 'e2e-key' },
    });
    rig.daemon = await starting;
    rig.write([
      { name: 'probe', module: rig.module(flip) },
      { name: 'fresh', module: rig.module(flip, 'fresh'), magic: 41002 },
    ]);
    rig.daemon.program.signal('SIGHUP');
    rig.daemon.program.signal('SIGHUP');
    await rig.daemon.untilStatus('fresh', ({ state }) => state === 'running');
    expect(await rig.daemon.status('probe')).toMatchObject({ state: 'running' });
  });

  it('adds, changes and removes portfolios, their children and gateways', async () => {
    const second = await GatewayProgram.startReady(scratch, fastMarket());
    const file = rig.module(flip);
    const child = (alias: string, weight: number, magic: number, broker = 'demo') => {
      return { alias, weight, module: file, magic, streams: { main: `${broker}:EURUSD@M1` } };
    };
    const gatewayOf = (url: string) => ({ url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 0 });
    const writeBook = (gateways: object, portfolios: readonly object[], strategies: readonly object[] = []) =>
      writeFileSync(join(rig.folder, 'daemon.yaml'), JSON.stringify({ gateways, portfolios, strategies }));
    const kept = { name: 'kept', module: rig.module(tell('bar'), 'kept') };
    await rig.start([kept]);
    const alone = {
      name: 'kept',
      module: kept.module,
      magic: 41001,
      streams: { main: 'demo:EURUSD@M1' },
      capital: 10_000,
    };
    const both = { demo: gatewayOf(rig.proxy.url), other: gatewayOf(second.url) };
    const book = { name: 'book', capital: 1_000, risk: { maxDrawdownPct: 50 } };
    writeBook(both, [{ ...book, children: [child('one', 0.5, 1), child('two', 0.5, 2, 'other')] }], [alone]);
    expect(await rig.reload()).toMatchObject({ outcome: 'applied', added: ['book/one', 'book/two', 'other', 'book'] });
    await rig.daemon.untilStatus('book/two', ({ trades }) => trades >= 2);
    writeBook({ demo: both.demo }, [{ ...book, capital: 100, children: [child('one', 0.5, 1)] }], [alone]);
    const report = await rig.reload();
    expect(report).toMatchObject({ removed: expect.arrayContaining(['book/two', 'other']), problems: [] });
    const status = await rig.daemon.call<{ capital: number; halted: boolean; children: unknown[] }>('/status/book');
    expect(status.body).toMatchObject({ capital: 100, halted: false, children: [{ name: 'book/one', capital: 50 }] });
    expect((await rig.daemon.call<{ gateways: unknown[] }>('/health')).body.gateways).toHaveLength(1);
    expect((await rig.daemon.call('/metrics')).text).not.toContain('daemon_gateway_up{gateway="other"}');
    writeBook({ demo: both.demo }, [], [alone]);
    expect(await rig.reload()).toMatchObject({ outcome: 'applied', removed: ['book/one', 'book'] });
    expect((await rig.rows()).map(({ name }) => name)).toEqual(['kept']);
  });
});
