import { VirtualClock } from '@libs/clock';
import { GatewaySession } from '../gateways/gateway-session';
import { MarketHub } from '../market-data/market-hub';
import { ContractGateway } from '../testing/contract-gateway';
import { AccountSync } from '../trading/account-sync';
import { StrategyMarket } from './strategy-market';

const stream = { alias: 'main', broker: 'demo', symbol: 'EURUSD', timeframe: 'M1' };

describe('StrategyMarket', () => {
  let gateway: ContractGateway;
  let clock: VirtualClock;
  let hub: MarketHub;
  let market: StrategyMarket;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    for (let minute = 1; minute <= 5; minute++) {
      const prices = { open: 1, high: 1, low: 1, close: 1, tick_volume: 1 };
      gateway.bars.push({ time: new Date(minute * 60_000).toISOString(), time_server: minute * 60, ...prices });
    }
    clock = new VirtualClock();
    const expect = { login: null, tradeMode: null };
    const spec = { name: 'demo', url: gateway.url, apiKeyEnv: 'K', expect, maxClockSkewMs: null };
    const session = new GatewaySession(spec, 'k');
    const sync = new AccountSync(session, { ownerOf: () => null }, clock);
    hub = new MarketHub(session, sync, clock, () => undefined);
    const nobody = () => undefined;
    market = new StrategyMarket([stream], () => ({ hub, session }), nobody, nobody);
  });
  afterEach(async () => {
    market.leave();
    hub.stop();
    await clock.advance(60_000);
    await gateway.stop();
  });

  it('plays the past of a stream, and hears its quotes until it leaves', async () => {
    expect(await market.join(stream, 3, false)).toMatchObject([2, 3, 4].map(() => ({ type: 'bar', warmingUp: true })));
    expect(market.quotes).toMatchObject({ main: { bid: 1.1 } });
    market.leave();
    expect([market.quotes, market.staleSymbols]).toEqual([{}, ['EURUSD']]);
  });

  it('leaves nothing behind when it is left while it joins', async () => {
    const joining = market.join(stream, 3, true);
    market.leave();
    await expect(joining).rejects.toThrow('the market was left while EURUSD was joined');
    expect(hub.quote('EURUSD')).toBeNull();
  });
});
