import { VirtualClock } from '@libs/clock';
import { GatewayReadError } from '@libs/gateway-client';
import { pino } from 'pino';
import { GatewaySession } from '../gateways/gateway-session';
import { ContractGateway } from '../testing/contract-gateway';
import { AccountSync } from '../live/account-sync';
import { MarketHub } from './market-hub';

const stream = { alias: 'main', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' };
const barAt = (minute: number) => ({
  ...{ time: new Date(minute * 60_000).toISOString(), open: 1, high: 1, low: 1, close: 1 },
  ...{ time_server: minute * 60, tick_volume: 1, spread: 1, real_volume: 0 },
});

describe('MarketHub', () => {
  let gateway: ContractGateway;
  let clock: VirtualClock;
  let hub: MarketHub;
  let session: GatewaySession;
  const warned: string[] = [];
  const listener = () => undefined;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    gateway.bars.push(...[1, 2, 3, 4, 5].map(barAt));
    clock = new VirtualClock();
    const expect = { login: null, tradeMode: null };
    session = new GatewaySession({ name: 'demo', url: gateway.url, apiKeyEnv: 'K', expect, maxClockSkewMs: null }, 'k');
    const memory = { ownerOf: () => null };
    const log = pino(
      { level: 'warn' },
      { write: (line: string) => void warned.push((JSON.parse(line) as { msg: string }).msg) },
    );
    warned.splice(0);
    hub = new MarketHub(session, new AccountSync(session, memory, clock), clock, log);
  });
  afterEach(async () => {
    hub.unsubscribe(stream, listener);
    hub.stop();
    await clock.advance(60_000);
    await gateway.stop();
  });

  it('warns of the first read that a gateway does not answer, not of each one until it answers again', () => {
    const [away, refused] = (['unreachable', 'refused'] as const).map((kind) => new GatewayReadError(kind, kind));
    session.reachable = true;
    for (const error of [away, away, refused, away]) hub.failed('quote of EURUSD', error);
    session.reachable = true;
    hub.failed('quote of EURUSD', away);
    expect(warned).toEqual(['unreachable', 'refused', 'unreachable'].map((text) => `demo: quote of EURUSD: ${text}`));
  });

  it('drops invalid quotes, and counts them', async () => {
    gateway.tick['bid'] = 0;
    await hub.subscribe(stream, 3, listener);
    expect([hub.quote('EURUSD'), hub.isStale('EURUSD'), hub.quotes.badTicks]).toEqual([null, true, 1]);
    gateway.tick['bid'] = 1.1;
    while (hub.quote('EURUSD') === null) {
      await clock.advance(500);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(hub.quote('EURUSD')).toMatchObject({ bid: 1.1, ask: 1.1001 });
    expect(hub.isStale('EURUSD')).toBe(false);
  });

  it('reads the quote of a symbol for its first listener, and for a later one only if it is stale', async () => {
    const routes: string[] = [];
    gateway.onRead = (route) => void routes.push(route);
    const reads = () => routes.splice(0).filter((route) => route === 'symbol_info_tick').length;
    await hub.subscribe(stream, 3, listener);
    expect(reads()).toBe(1);
    const other = { ...stream, timeframe: 'M5' };
    await hub.subscribe(other, 1, listener);
    expect(reads()).toBe(0);
    hub.unsubscribe(other, listener);
    clock.advanceSync(20_000);
    expect(hub.isStale('EURUSD')).toBe(true);
    reads();
    await hub.subscribe(other, 1, listener);
    expect(reads()).toBeGreaterThan(0);
    hub.unsubscribe(other, listener);
  });

  it('drops the prices of a symbol with its last listener: they do not count as current for the next one', async () => {
    await hub.subscribe(stream, 3, listener);
    const other = () => undefined;
    await hub.subscribe({ ...stream, timeframe: 'M5' }, 1, other);
    hub.unsubscribe({ ...stream, timeframe: 'M5' }, other);
    expect(hub.quote('EURUSD')).not.toBeNull();
    hub.unsubscribe(stream, listener);
    expect(hub.quote('EURUSD')).toBeNull();
    await hub.subscribe(stream, 3, listener);
    expect(hub.quote('EURUSD')).not.toBeNull();
  });

  it('has the specification of a symbol that is subscribed to, and reads it again with a bar of a later minute', async () => {
    await hub.subscribe(stream, 3, listener);
    expect(hub.symbolSpec('EURUSD')).toEqual({
      ...{ symbol: 'EURUSD', digits: 5, point: 0.00001, tickSize: 0.00001, tickValue: 1, contractSize: 100_000 },
      ...{ volumeMin: 0.01, volumeMax: 100, volumeStep: 0.01, stopsDistance: 0.0001, freezeDistance: 0 },
      ...{ tradeMode: 'full', marginPerLot: 1_101 },
    });
    expect(gateway.marginPrices).toEqual([hub.quote('EURUSD')?.ask]);
    gateway.symbol['trade_tick_value_loss'] = 1.25;
    for (let waited = 0; waited < 300 && hub.symbolSpec('EURUSD')?.tickValue === 1; waited++) {
      const last = gateway.bars.at(-1);
      gateway.bars.push({ ...last, time_server: Number(last?.['time_server'] ?? 0) + 60 });
      await clock.advance(30_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(hub.symbolSpec('EURUSD')?.tickValue).toBe(1.25);
    hub.unsubscribe(stream, listener);
    expect(hub.symbolSpec('EURUSD')).toBeNull();
    gateway.margin = null;
    await hub.subscribe(stream, 3, listener);
    expect(hub.symbolSpec('EURUSD')).toMatchObject({ tickValue: 1.25, marginPerLot: null });
    hub.unsubscribe(stream, listener);
    await hub.subscribe(stream, 3, listener);
  });

  it('reads the specification less often from a slow terminal', async () => {
    const routes: string[] = [];
    gateway.onRead = (route) => void routes.push(route);
    const reads = (): number => routes.splice(0).filter((route) => route === 'symbol_info').length;
    gateway.beforeAnswer = async ({ pathname }) => {
      if (pathname.startsWith('/symbol_info/')) clock.advanceSync(1_000);
    };
    await hub.subscribe(stream, 3, listener);
    expect(reads()).toBe(1);
    clock.advanceSync(98_000);
    await hub.refresh('EURUSD');
    expect(reads()).toBe(0);
    clock.advanceSync(2_000);
    await hub.refresh('EURUSD');
    expect(reads()).toBe(1);
  });

  it('joins two streams at a time, so that no read waits behind those of all strategies', async () => {
    let [waiting, most] = [0, 0];
    gateway.beforeAnswer = async ({ pathname }) => {
      if (!pathname.startsWith('/symbol_info_tick/')) return;
      most = Math.max(most, ++waiting);
      await new Promise((resolve) => setTimeout(resolve, 20));
      waiting--;
    };
    const streams = ['GBPUSD', 'USDJPY', 'AUDUSD', 'NZDUSD', 'USDCHF'].map((symbol) => ({ ...stream, symbol }));
    await Promise.all(streams.map((each) => hub.subscribe(each, 1, listener)));
    expect(most).toBe(2);
    for (const each of streams) hub.unsubscribe(each, listener);
    await hub.subscribe(stream, 1, listener);
  });

  it('reads the bars of many symbols at the same time while the terminal is not slow', async () => {
    const streams = ['EURUSD', 'GBPUSD', 'USDJPY', 'AUDUSD', 'NZDUSD'].map((symbol) => ({ ...stream, symbol }));
    for (const each of streams) await hub.subscribe(each, 1, listener);
    const pauses = jest.spyOn(clock, 'setTimer');
    await clock.advance(100);
    // Each feed has looked once, two at a time, and pauses: by now the terminal is known not to be slow.
    while (pauses.mock.calls.length < streams.length) await new Promise((resolve) => setTimeout(resolve, 5));
    let [running, most] = [0, 0];
    // Each waits for the others, at most two seconds.
    gateway.beforeAnswer = async ({ pathname }) => {
      if (pathname !== '/fetch_data_pos') return;
      most = Math.max(most, ++running);
      for (let waits = 0; waits < 100 && most < 5; waits++) await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
    };
    await clock.advance(200);
    while (most === 0 || running > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(most).toBe(5);
    for (const each of streams) hub.unsubscribe(each, listener);
    await hub.subscribe(stream, 1, listener);
  });

  it('reads nothing for a listener that has left before its turn came', async () => {
    const routes: string[] = [];
    gateway.onRead = (route) => void routes.push(route);
    await expect(hub.subscribe(stream, 3, listener, () => false)).rejects.toThrow('before it subscribed to EURUSD');
    expect(routes).toEqual([]);
    await hub.subscribe(stream, 3, listener);
  });

  it('reports that quotes are polled while the gateway has no stream', async () => {
    await hub.subscribe(stream, 3, listener);
    expect(hub.quotes).toEqual({ streaming: false, tickGaps: 0, lostTicks: 0, badTicks: 0 });
  });
});
