import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { configuration, DaemonProgram, strategyFile, type StrategyText } from './daemon-program';
import { FaultyProxy } from './faulty-proxy';

interface Fields {
  readonly state: string;
  readonly halted: boolean;
  readonly haltReason: string | null;
  readonly trades: number;
  readonly lastTickAgeMs: number | null;
  readonly inboundQueueDepth: number;
  readonly droppedTicks: number;
  readonly staleSymbols: readonly string[];
  readonly clockSkewedSymbols: Readonly<Record<string, number>>;
  readonly positions: readonly Readonly<Record<string, number | string | null>>[];
  readonly pendingOrders: readonly Readonly<Record<string, number | string>>[];
  readonly pendingStackLayers: readonly { readonly layer: number; readonly triggerPrice: number | null }[];
  readonly lastTrade: Readonly<Record<string, number | string>> | null;
  readonly unreachable: readonly string[];
  readonly drawdownPct: number;
}

type Rows = readonly Readonly<Record<string, number | string>>[];

interface Health {
  readonly status: string;
  readonly condition: string;
  readonly uptimeMs: number;
  readonly perStrategy: readonly Fields[];
  readonly gateways: readonly {
    readonly reachable: boolean;
    readonly ready: boolean;
    readonly lastError: string | null;
  }[];
}

describe('what the control port shows', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let proxy: FaultyProxy;
  let folder: string;
  beforeEach(async () => {
    // The whole catalogue: one test trades more symbols than the suites have otherwise.
    gateway = await GatewayProgram.startReady(scratch, { ...fastMarket(), SIM_SYMBOLS: undefined });
    proxy = await FaultyProxy.start(gateway.url);
    scratch.undo(() => proxy.stop());
    folder = scratch.folder();
  });
  afterEach(() => scratch.clear());

  const launch = (config: string) =>
    DaemonProgram.start(scratch, { config, stateDir: join(folder, 'state'), env: { API_KEY: 'e2e-key' } });
  const start = (strategies: readonly StrategyText[]) => launch(configuration(folder, proxy.url, strategies));
  const probe = (onBar: string, more = '') => [{ name: 'probe', module: strategyFile(folder, 'probe', onBar, more) }];
  const status = (daemon: DaemonProgram, satisfies: (body: Fields) => boolean, name = 'probe') =>
    daemon.until<Fields>(`/status/${name}`, satisfies);
  const health = (daemon: DaemonProgram, satisfies: (body: Health) => boolean) =>
    daemon.until<Health>('/health', satisfies);
  const metric = async (daemon: DaemonProgram, name: string): Promise<number> => {
    const line = (await daemon.call('/metrics')).text.split('\n').find((text) => text.startsWith(`${name} `));
    return Number(line?.split(' ')[1] ?? Number.NaN);
  };
  const of = (name: string): string => `daemon_strategy_${name}{strategy="probe"}`;

  it('of a position and the deals behind it is what the broker says', async () => {
    const enter = `if (trade.warmingUp || bars > 1) return;
      trade.sell('main', { volume: 0.2, sl: bar.close * 1.1, tp: bar.close * 0.9 });`;
    const daemon = await start(probe(enter));
    // The position is seen a moment before its deal is booked.
    const isBooked = (body: Fields): boolean => body.positions.length === 1 && body.trades === 1;
    const { positions, lastTrade } = await status(daemon, isBooked);
    const [row] = (await gateway.call('/get_positions')).body['data'] as Rows;
    expect(positions).toMatchObject([
      {
        symbol: 'EURUSD',
        broker: 'demo',
        side: 'sell',
        volume: 0.2,
        ticket: row?.['ticket'],
        digits: 5,
        avgPrice: row?.['price_open'],
      },
    ]);
    expect(positions).toMatchObject([{ sl: row?.['sl'], tp: row?.['tp'] }]);
    expect(Date.parse(String(positions[0]?.['openedAt']))).toBe(Date.parse(String(row?.['time_utc'])));
    const moved = await status(daemon, (body) => body.positions[0]?.['unrealized'] !== positions[0]?.['unrealized']);
    expect(moved.trades).toBe(1);
    expect(await metric(daemon, of('open_positions'))).toBe(1);
    // At times it is 0; while it is absent, it is NaN.
    while (!(Math.abs(await metric(daemon, of('unrealized'))) > 0)) await pause(50);
    const ticket = Number(row?.['ticket']);
    await gateway.trade('/close_position', { position: { ticket } });
    const closed = await status(daemon, (body) => body.trades === 2);
    expect(lastTrade).toMatchObject({ side: 'sell', volume: 0.2, price: row?.['price_open'] });
    const { body } = await gateway.call(`/history_deals_get?position=${ticket}`);
    const out = (body['data'] as Rows).find(({ entry }) => entry === 1);
    expect(closed.lastTrade).toMatchObject({ side: 'buy', symbol: 'EURUSD', volume: 0.2, price: out?.['price'] });
    expect(Date.parse(String(closed.lastTrade?.['timestamp']))).toBe(Date.parse(String(out?.['time_utc'])));
    expect(await metric(daemon, of('trades_total'))).toBeGreaterThanOrEqual(2);
  });

  it('of pending orders and stack layers comes and goes with them; a halt takes them all back', async () => {
    const wait = `if (trade.warmingUp || trade.inFlight > 0) return;
      if (trade.orders().length === 0) {
        trade.buy('main', { kind: 'limit', volume: 0.1, price: Number((bar.close * 0.9).toFixed(5)) });
      } else if (!trade.position('main')) {
        trade.stack({ stream: 'main', direction: 'buy', layers: 3, spacing: 0.5, volume: 0.1 });
      }`;
    const daemon = await start(probe(wait));
    const waiting = await status(daemon, (body) => {
      return (
        body.pendingOrders.length === 1 && body.pendingStackLayers.every(({ triggerPrice }) => triggerPrice !== null)
      );
    });
    const both = await status(daemon, ({ pendingStackLayers: [layer] }) => typeof layer?.triggerPrice === 'number');
    expect(waiting.pendingOrders).toMatchObject([{ symbol: 'EURUSD', side: 'buy', kind: 'limit', volume: 0.1 }]);
    expect(both.pendingStackLayers).toMatchObject([
      { layer: 2, side: 'buy', symbol: 'EURUSD', volume: 0.1 },
      { layer: 3 },
    ]);
    expect(await metric(daemon, of('pending_stack_layers'))).toBe(2);
    expect(await metric(daemon, of('halted'))).toBe(0);

    // A position under its magic that it never opened halts it.
    await gateway.trade('/order', { symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 41001 });
    const halted = await status(daemon, (body) => body.pendingOrders.length + body.pendingStackLayers.length === 0);
    expect(halted).toMatchObject({ state: 'halted', halted: true });
    expect(halted.haltReason).toContain('did not open');
    expect(await metric(daemon, of('pending_stack_layers'))).toBe(0);
    expect(await metric(daemon, of('halted'))).toBe(1);
    expect(await metric(daemon, 'daemon_strategies{state="halted"}')).toBe(1);
    expect(await metric(daemon, 'daemon_strategies{state="running"}')).toBe(0);
    expect((await daemon.call('/list')).body).toMatchObject([{ name: 'probe', state: 'halted' }]);
    expect(await health(daemon, () => true)).toMatchObject({
      status: 'ok',
      condition: 'degraded',
      perStrategy: [{ state: 'halted', halted: true, haltReason: halted.haltReason }],
    });
  });

  it('of quotes that stay away is their age and that they are stale, until they come again', async () => {
    const daemon = await start(probe(''));
    // One that is still warming up would fail without its bars, and no longer hear quotes.
    await daemon.untilStatus('probe', ({ state }) => state === 'running');
    await health(daemon, ({ perStrategy: [row] }) => row?.lastTickAgeMs != null && row.lastTickAgeMs < 2_000);
    expect((await status(daemon, () => true)).staleSymbols).toEqual([]);
    proxy.fault = (_method, path) => (/tick|stream|fetch_data/.test(path) ? 'bad-gateway' : null);
    proxy.cut();
    const stale = await status(daemon, ({ staleSymbols }) => staleSymbols.length > 0);
    expect(stale.staleSymbols).toEqual(['EURUSD']);
    const { perStrategy } = await health(daemon, () => true);
    expect(perStrategy[0]?.lastTickAgeMs).toBeGreaterThanOrEqual(10_000);
    proxy.fault = () => null;
    await status(daemon, ({ staleSymbols }) => staleSymbols.length === 0);
    await health(daemon, ({ perStrategy: [row] }) => Number(row?.lastTickAgeMs) < 2_000);
  });

  it('of a broker whose clock is off is by how much, and nothing is entered on its prices', async () => {
    // Its server's clock is two hours ahead, and is said not to be.
    const ahead = await GatewayProgram.startReady(scratch, {
      SIM_SPEED: '60',
      SIM_SERVER_TIME_ZONE: 'Etc/GMT-2',
      TERMINAL_SERVER_UTC_OFFSET_SECONDS: '0',
    });
    const spec = { url: ahead.url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 60 };
    const [{ module = '' } = {}] = probe(`if (!trade.warmingUp) trade.buy('main', { volume: 0.1 });`);
    const strategy = { name: 'probe', module, magic: 41001, streams: { main: 'demo:EURUSD@M1' }, capital: 1_000 };
    const config = join(folder, 'daemon.yaml');
    writeFileSync(config, JSON.stringify({ gateways: { demo: spec }, strategies: [strategy] }));
    const daemon = await launch(config);
    const skewed = await daemon.until<Fields & { orders: { denied: number } }>(
      '/status/probe',
      (body) => 'EURUSD' in body.clockSkewedSymbols && body.orders.denied > 0,
    );
    expect(Math.abs(skewed.clockSkewedSymbols['EURUSD'] ?? 0)).toBeGreaterThan(60_000);
    expect(Number.isInteger(skewed.clockSkewedSymbols['EURUSD'])).toBe(true);
    expect(skewed.trades).toBe(0);
    const { body } = await daemon.call<{ lines: string[] }>('/logs/probe?level=warning');
    expect(body.lines.join('\n')).toMatch(/denied .*clock/);
  });

  it('of a strategy that is too slow for its ticks is how many wait and how many were left out', async () => {
    const slow = `onTick() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000); },`;
    const symbols = [
      'EURUSD',
      'GBPUSD',
      'USDJPY',
      'USDCHF',
      'AUDUSD',
      'NZDUSD',
      'USDCAD',
      'EURGBP',
      'EURJPY',
      'GBPJPY',
    ];
    const streams = Object.fromEntries(symbols.map((symbol) => [symbol, `demo:${symbol}@M1`]));
    const daemon = await start(probe('', slow).map((strategy) => ({ ...strategy, more: { streams } })));
    const { inboundQueueDepth } = await status(daemon, (body) => body.droppedTicks > 0);
    expect(inboundQueueDepth).toBeGreaterThan(0);
    const { perStrategy } = await health(daemon, () => true);
    expect(perStrategy[0]?.droppedTicks).toBeGreaterThan(0);
    expect(perStrategy[0]?.inboundQueueDepth).toBeGreaterThan(0);
    expect(await metric(daemon, of('dropped_ticks_total'))).toBeGreaterThan(0);
  });

  it('of a gateway is whether it answers and would trade, and a portfolio names whom it cannot see', async () => {
    const other = await GatewayProgram.startReady(scratch, { ...fastMarket(), SIM_SEED: '7' });
    const module = strategyFile(
      folder,
      'flip',
      `if (trade.warmingUp) return;
      const [open] = trade.positions();
      if (open) trade.close(open); else trade.buy('main', { volume: 0.1 });`,
    );
    const child = (alias: string, magic: number, broker: string) => {
      return { alias, weight: 0.5, module, magic, streams: { main: `${broker}:EURUSD@M1` } };
    };
    const spec = (url: string) => ({ url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 0 });
    const config = join(folder, 'daemon.yaml');
    const document = {
      gateways: { demo: spec(proxy.url), sure: spec(other.url) },
      portfolios: [{ name: 'book', capital: 1_000, children: [child('one', 1, 'demo'), child('two', 2, 'sure')] }],
    };
    writeFileSync(config, JSON.stringify(document));
    const daemon = await launch(config);
    await status(daemon, ({ trades, unreachable }) => trades >= 4 && unreachable.length === 0, 'book');
    await status(daemon, ({ drawdownPct }) => drawdownPct > 0, 'book');
    expect((await daemon.call('/list')).body).toMatchObject([
      { name: 'book', kind: 'portfolio', streamBrokers: { 'one/main': 'demo', 'two/main': 'sure' } },
      { name: 'book/one', parent: 'book', streamBrokers: { main: 'demo' } },
      { name: 'book/two', parent: 'book', streamBrokers: { main: 'sure' } },
    ]);
    expect(await metric(daemon, 'daemon_gateway_up{gateway="demo"}')).toBe(1);
    proxy.fault = () => 'lost-before';
    proxy.cut();
    await status(daemon, ({ unreachable }) => unreachable.join() === 'book/one', 'book');
    const away = await health(daemon, ({ gateways: [demo] }) => demo?.reachable === false);
    expect(away).toMatchObject({
      status: 'ok',
      condition: 'degraded',
      gateways: [{ ready: false }, { reachable: true, ready: true }],
    });
    expect(away.gateways[0]?.lastError).not.toBeNull();
    expect(await metric(daemon, 'daemon_gateway_up{gateway="demo"}')).toBe(0);
    expect(await metric(daemon, 'daemon_gateway_up{gateway="sure"}')).toBe(1);
    proxy.fault = () => null;
    await status(daemon, ({ unreachable }) => unreachable.length === 0, 'book');
    const back = await health(daemon, ({ gateways: [demo] }) => demo?.ready === true);
    expect(back.gateways[0]).toMatchObject({ reachable: true, lastError: null });
    await other.call('/kill', { method: 'POST' });
    await health(daemon, ({ gateways: [demo, sure] }) => demo?.ready === true && sure?.ready === false);
    expect(back.uptimeMs).toBeGreaterThan(away.uptimeMs);
    expect(await metric(daemon, 'daemon_uptime_seconds')).toBeGreaterThanOrEqual(back.uptimeMs / 1_000);
  });
});
