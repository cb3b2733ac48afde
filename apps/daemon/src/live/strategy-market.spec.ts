import { VirtualClock } from '@libs/clock';
import { pino } from 'pino';
import { GatewaySession } from '../gateways/gateway-session';
import { MarketHub } from '../market-data/market-hub';
import { Clockwork } from '../testing/clockwork';
import { ContractGateway } from '../testing/contract-gateway';
import { AccountSync } from './account-sync';
import type { QueuedEvent } from '../core/event-queue';
import { StrategyMarket } from './strategy-market';

const stream = { alias: 'main', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' };

/** A bar that opens at a minute. */
const row = (minute: number) => {
  const prices = { open: 1, high: 1, low: 1, close: 1, tick_volume: 1 };
  return { time: new Date(minute * 60_000).toISOString(), time_server: minute * 60, ...prices };
};

function hubOf(gateway: ContractGateway, clock: VirtualClock): { hub: MarketHub; session: GatewaySession } {
  const expect = { login: null, tradeMode: null };
  const spec = { name: 'demo', url: gateway.url, apiKeyEnv: 'K', expect, maxClockSkewMs: null };
  const session = new GatewaySession(spec, 'k');
  const sync = new AccountSync(session, { ownerOf: () => null }, clock);
  return { hub: new MarketHub(session, sync, clock, pino({ level: 'silent' })), session };
}

describe('StrategyMarket', () => {
  let gateway: ContractGateway;
  let clock: VirtualClock;
  let hub: MarketHub;
  let market: StrategyMarket;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    for (let minute = 1; minute <= 5; minute++) gateway.bars.push(row(minute));
    clock = new VirtualClock();
    const services = hubOf(gateway, clock);
    ({ hub } = services);
    market = new StrategyMarket([stream], new Map([['demo', services]]), { clock, barWaitMs: 2_000 }, null);
  });
  afterEach(async () => {
    market.leave();
    hub.stop();
    await clock.advance(60_000);
    await gateway.stop();
  });

  it('replays the history of a stream, and receives its quotes until it leaves', async () => {
    expect(await market.join(stream, 3, false)).toMatchObject([2, 3, 4].map(() => ({ type: 'bar', warmingUp: true })));
    expect(market.quotes).toMatchObject({ main: { bid: 1.1 } });
    expect(market.symbolSpecs).toMatchObject({ main: { symbol: 'EURUSD', volumeStep: 0.01 } });
    market.leave();
    expect([market.quotes, market.staleSymbols]).toEqual([{}, ['EURUSD']]);
  });

  it('delivers a quote with its time on the clock of the broker', async () => {
    const received: QueuedEvent[] = [];
    const listener = { receive: (queued: QueuedEvent) => void received.push(queued), see: () => undefined };
    const services = { hub, session: hubOf(gateway, clock).session };
    market = new StrategyMarket([stream], new Map([['demo', services]]), { clock, barWaitMs: 2_000 }, listener);
    await market.join(stream, 3, true);
    Object.assign(gateway.tick, { bid: 1.2, ask: 1.3, time_msc: 7_200_005, time_utc: '1970-01-01T00:00:00.005Z' });
    await hub.refresh('EURUSD');
    expect(received).toMatchObject([{ event: { type: 'tick', tick: { timeMs: 5, bid: 1.2 }, serverMs: 7_200_005 } }]);
  });

  it('leaves no subscription behind when it is left while it joins', async () => {
    const joining = market.join(stream, 3, true);
    market.leave();
    await expect(joining).rejects.toThrow('the strategy left the market while it subscribed to EURUSD');
    expect(hub.quote('EURUSD')).toBeNull();
  });

  it('reads nothing when it is left before its turn to join comes', async () => {
    const routes: string[] = [];
    gateway.onRead = (route) => void routes.push(route);
    const others = ['GBPUSD', 'USDJPY'].map((symbol) => hub.subscribe({ ...stream, symbol }, 1, () => undefined));
    const joining = market.join(stream, 3, true);
    market.leave();
    await expect(joining).rejects.toThrow('the strategy left the market before it subscribed to EURUSD');
    await Promise.all(others);
    expect(routes.filter((route) => route === 'symbol_info_tick')).toHaveLength(2);
  });
});

describe('a StrategyMarket of two streams', () => {
  const fast = { ...stream, alias: 'fast' };
  const slow = { ...stream, alias: 'slow', timeframe: 'M5' };
  const barWaitMs = 2_000;
  let gateway: ContractGateway;
  let work: Clockwork;
  let hub: MarketHub;
  let market: StrategyMarket;
  let seen: string[];
  let heldAtMs: number[];

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    gateway.ownBars.set('EURUSD@M1', [6, 7, 8].map(row));
    gateway.ownBars.set('EURUSD@M5', [0, 5].map(row));
    work = new Clockwork();
    const services = hubOf(gateway, work.clock);
    ({ hub } = services);
    seen = [];
    heldAtMs = [];
    market = new StrategyMarket(
      [fast, slow],
      new Map([['demo', services]]),
      { clock: work.clock, barWaitMs },
      {
        receive: ({ event }) => {
          if (event.type !== 'bar') return;
          seen.push(`${event.bar.stream} ${event.serverMs / 60_000}`);
          heldAtMs.push(work.clock.monotonicMs());
        },
        see: () => undefined,
      },
    );
    for (const each of [fast, slow]) await work.inTime(market.join(each, 1, false));
  });
  afterEach(async () => {
    market.leave();
    hub.stop();
    await work.clock.advance(60_000);
    await gateway.stop();
  });

  it('delivers the bars that close at one instant by the longer timeframe, whichever arrives first', async () => {
    gateway.ownBars.get('EURUSD@M1')?.push(...[9, 10].map(row));
    await work.until(() => market.holdsBars);
    // The bar that closed at minute nine had nothing to wait for.
    expect(seen).toEqual(['fast 8']);
    gateway.ownBars.get('EURUSD@M5')?.push(row(10));
    await work.until(() => !market.holdsBars);
    expect(seen).toEqual(['fast 8', 'slow 5', 'fast 9']);
  });

  it('delivers a bar without that of the other stream after the longest wait, and the other when it arrives', async () => {
    gateway.ownBars.get('EURUSD@M1')?.push(...[9, 10].map(row));
    await work.until(() => market.holdsBars);
    await work.until(() => !market.holdsBars);
    expect(seen).toEqual(['fast 8', 'fast 9']);
    const [first = 0, second = 0] = heldAtMs;
    expect(second - first).toBe(barWaitMs);
    gateway.ownBars.get('EURUSD@M5')?.push(row(10));
    await work.until(() => seen.length > 2);
    expect(seen).toEqual(['fast 8', 'fast 9', 'slow 5']);
  });

  it('delivers waiting bars on request, and nothing once it is left', async () => {
    gateway.ownBars.get('EURUSD@M1')?.push(...[9, 10].map(row));
    await work.until(() => market.holdsBars);
    market.handOnBars();
    expect(seen).toEqual(['fast 8', 'fast 9']);
    gateway.ownBars.get('EURUSD@M1')?.push(row(11));
    await work.until(() => market.holdsBars);
    market.leave();
    await work.run(2 * barWaitMs);
    expect(seen).toEqual(['fast 8', 'fast 9']);
  });
});
