import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { OrderType, Retcode, Timeframe, TradeAction, tradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { Simulator } from './simulator';
import { simulatorOptions, simulatorSettings } from './simulator.config';

describe('smoke', () => {
  it('runs', async () => {
    const clock = new VirtualClock(Date.UTC(2024, 4, 14, 10));
    const sim = new Simulator(simulatorOptions(readSettings(simulatorSettings, {})), clock);
    await sim.start();
    const client = sim.connect();
    await client.connect();
    console.log(await client.login({ login: 100001, password: 'simulator', server: 'Simulator-Demo' }));
    const t0 = performance.now();
    console.log(
      await client.symbolInfoTick('EURUSD'),
      await client.ticks(['XAUUSD', 'US500', 'BTCUSD', 'USDJPY', 'EURJPY', 'EURUSD.m']),
    );
    console.log(performance.now() - t0);
    const bars = await client.copyRatesFromPos('EURUSD', Timeframe.M1, 0, 5);
    console.log(bars);
    const t1 = performance.now();
    const d = await client.copyRatesFromPos('EURUSD', Timeframe.D1, 0, 500);
    console.log(performance.now() - t1, d?.time.length, d?.close[0], d?.close[499]);
    const send = (r: Parameters<typeof tradeRequest>[0]) => client.orderSend(sealRequest('x', tradeRequest(r)));
    console.log(
      await send({ action: TradeAction.DEAL, symbol: 'EURUSD', type: OrderType.BUY, volume: 0.1, sl: 1.0, tp: 2 }),
    );
    console.log(await client.positionsGet(), await client.accountInfo(), await client.symbolInfo('EURUSD'));
    await clock.advance(60_000);
    const [p] = await client.positionsGet();
    console.log(
      await send({
        action: TradeAction.DEAL,
        symbol: 'EURUSD',
        type: OrderType.SELL,
        volume: 0.1,
        position: p?.ticket ?? 0,
      }),
    );
    console.log(
      await client.historyDealsGet({ from: 0, to: 1e12 }),
      await client.historyOrdersGet({ from: 0, to: 1e12 }),
    );
    await sim.stop();
    expect(Retcode.DONE).toBe(10009);
  });
});
