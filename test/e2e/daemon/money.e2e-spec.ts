import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { waitUntil } from '../programs/waits';
import { DaemonProgram, strategyFile, type AccountBody } from './daemon-program';
import { FaultyProxy } from './faulty-proxy';

/** Opens on one bar and closes on the next, on each of its streams. */
const flip = `if (trade.warmingUp) return;
  const open = trade.positions().find((position) => position.stream === bar.stream);
  if (open) trade.close(open); else trade.buy(bar.stream, { volume: 0.1 });`;

type Certain = AccountBody & {
  readonly balance: number;
  readonly equity: number;
  readonly strategies: { readonly realized: number; readonly unrealized: number };
  readonly removed: { readonly realized: number };
  readonly unattributed: { readonly balance: number; readonly unrealized: number };
};

describe('the money of an account', () => {
  const scratch = new Scratch();
  let folder: string;
  let config: string;
  let gateways: Readonly<Record<string, GatewayProgram>>;
  beforeEach(() => (folder = scratch.folder()));
  afterEach(() => scratch.clear());

  const sim = (seed: string) => GatewayProgram.startReady(scratch, { ...fastMarket(), SIM_SEED: seed });
  const write = (strategies: readonly object[], ways: Readonly<Record<string, string>> = {}): void => {
    const spec = (url: string) => ({ url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 0 });
    const named = Object.entries(gateways).map(([name, { url }]) => [name, spec(ways[name] ?? url)]);
    config = join(folder, 'daemon.yaml');
    writeFileSync(config, JSON.stringify({ gateways: Object.fromEntries(named) as object, strategies }));
  };
  const start = () =>
    DaemonProgram.start(scratch, { config, stateDir: join(folder, 'state'), env: { API_KEY: 'e2e-key' } });
  const strategy = (name: string, magic: number, streams: Record<string, string>) => {
    return { name, magic, streams, capital: 10_000, module: strategyFile(folder, 'flip', flip) };
  };
  const byHand = async (volume: number, type: string): Promise<number> => {
    const opened = await gateways['demo']?.trade('/order', { symbol: 'USDJPY', volume, type });
    return (opened?.body['result'] as { order: number }).order;
  };
  /** What the broker's deals of some positions brought, costs included. */
  const earnedBy = async (tickets: readonly number[]): Promise<Decimal> => {
    let earned = new Decimal(0);
    for (const ticket of tickets) {
      const { body } = (await gateways['demo']?.call(`/history_deals_get?position=${ticket}`)) ?? {};
      for (const deal of body?.['data'] as Readonly<Record<string, number>>[]) {
        const { profit = 0, commission = 0, swap = 0, fee = 0 } = deal;
        earned = earned.plus(profit).plus(commission).plus(swap).plus(fee);
      }
    }
    return earned;
  };
  /** Lets nothing new begin, and waits until all money is attributed. */
  const settled = async (daemon: DaemonProgram): Promise<Certain[]> => {
    for (const gateway of Object.values(gateways)) await gateway.call('/kill', { method: 'POST' });
    const states = await Promise.all(
      Object.values(gateways).map(async (gateway) => (await gateway.call('/account')).body['balance']),
    );
    const health = await daemon.untilHealth(({ gateways: rows }) =>
      rows.every(({ account }, index) => account?.unattributed && account.balance === states[index]),
    );
    return health.gateways.map(({ account }) => account as Certain);
  };
  /** What the daemon's `status` command prints. */
  const statusTable = async (): Promise<string> => {
    const table = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/apps/daemon/src/main.js'), 'status', '--state-dir', join(folder, 'state')],
      env: bareEnvironment(),
    });
    expect(await table.exitCode()).toBe(0);
    return table.output;
  };
  const agrees = ({ balance, equity, strategies, removed, unattributed }: Certain): void => {
    const whole = new Decimal(strategies.realized).plus(removed.realized).plus(unattributed.balance);
    expect(whole.toNumber()).toBe(balance);
    expect(whole.plus(strategies.unrealized).plus(unattributed.unrealized).toNumber()).toBe(equity);
  };

  it('belongs to a strategy, to a removed one, or to none: a trade by hand is separated to the cent', async () => {
    gateways = { demo: await sim('1') };
    write([strategy('one', 1, { main: 'demo:EURUSD@M1' }), strategy('two', 2, { main: 'demo:GBPUSD@M1' })]);
    let daemon = await start();
    const tickets = [await byHand(0.2, 'BUY'), await byHand(0.1, 'SELL')];
    await gateways['demo']?.trade('/close_position', { position: { ticket: tickets[0] } });
    for (const name of ['one', 'two']) await daemon.untilStatus(name, ({ trades }) => trades >= 4);
    let account: Certain | undefined;
    // Now and then what floats is nothing, and says nothing.
    do [account] = await settled(daemon);
    while (account?.unattributed.unrealized === 0);
    if (!account) throw new Error('no account');
    agrees(account);
    const results = await Promise.all(['one', 'two'].map((name) => daemon.status(name)));
    const realized = results.reduce((sum, status) => sum.plus(status.realized), new Decimal(0));
    expect(account.strategies.realized).toBe(realized.toNumber());
    const earned = await earnedBy(tickets);
    expect(account.unattributed.balance).toBe(earned.plus(10_000).toNumber());

    await daemon.stop();
    write([strategy('one', 1, { main: 'demo:EURUSD@M1' })]);
    daemon = await start();
    const [after] = await settled(daemon);
    if (!after) throw new Error('no account');
    agrees(after);
    expect(after.removed.realized).toBe(results[1]?.realized);
    expect(after.unattributed.balance).toBe(account.unattributed.balance);
    const unattributed = after.unattributed.balance.toFixed(2);
    const row = new RegExp(`^demo +(ready|not ready: .*\\S) +100001 +USD .* ${unattributed} `, 'm');
    // A close that the kill switch blocks is tried again: while it is in flight the row has no sums.
    await waitUntil('the row of the account in the table', statusTable, (table) => row.test(table));
  });

  it('is not reported while a request with an unknown outcome is in flight', async () => {
    const demo = await sim('1');
    gateways = { demo };
    const proxy = await FaultyProxy.start(demo.url);
    scratch.undo(() => proxy.stop());
    write([strategy('one', 1, { main: 'demo:EURUSD@M1' })], { demo: proxy.url });
    const daemon = await start();
    await daemon.untilStatus('one', ({ trades }) => trades >= 2);
    const isAboutIt = (path: string): boolean => path === '/order' || /^\/(trade_requests|reconcile)/.test(path);
    proxy.fault = (_method, path) => (isAboutIt(path) ? 'lost-after' : null);
    const health = await daemon.untilHealth(
      ({ gateways: [row] }) => row?.account?.problem?.includes('in flight') === true,
    );
    expect(health.gateways[0]?.account).toMatchObject({
      ...{ strategies: null, removed: null, unattributed: null, problem: 'one has a request in flight' },
      balance: expect.any(Number) as number,
    });
    proxy.fault = () => null;
    const [account] = await settled(daemon);
    if (account) agrees(account);
    expect(account?.unattributed.balance).toBe(10_000);
  });

  it('is counted for each gateway apart when one strategy trades on two', async () => {
    gateways = { east: await sim('1'), west: await sim('2') };
    write([strategy('both', 1, { east: 'east:EURUSD@M1', west: 'west:EURUSD@M1' })]);
    let daemon = await start();
    const traded = new Set<string>();
    await daemon.untilHealth(({ gateways: rows }) => {
      for (const { name, account } of rows) if (account?.strategies?.realized) traded.add(name);
      return traded.size === 2;
    });
    const accounts = await settled(daemon);
    accounts.forEach(agrees);
    expect(accounts.map(({ unattributed }) => unattributed.balance)).toEqual([10_000, 10_000]);
    const sum = accounts.reduce((total, { strategies }) => total.plus(strategies.realized), new Decimal(0));
    expect((await daemon.status('both')).realized).toBe(sum.toNumber());
    await daemon.kill();
    daemon = await start();
    const before = accounts.map(({ balance, strategies: { realized } }) => ({ balance, strategies: { realized } }));
    expect(await settled(daemon)).toMatchObject(before);
  });
});
