import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { Simulator, simulatorOptions, simulatorSettings } from '@libs/simulator';
import { OrderType, TradeAction, tradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { historySince, readBroker } from './broker-snapshot';

describe('the broker snapshot', () => {
  it('is read to the end of history, regardless of the clock of this machine and of a server that set its own back', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
    const simulator = new Simulator(simulatorOptions(readSettings(simulatorSettings, { SIM_HOURS: 'always' })), clock);
    await simulator.start();
    simulator.loginByHand();
    const session = simulator.connect();
    await session.connect();
    const tick = await session.symbolInfoTick('EURUSD');
    const buy = { action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.1, type: OrderType.BUY } as const;
    const order = { ...buy, price: tick?.ask ?? 0, deviation: 20 };
    await session.orderSend(sealRequest('intent', tradeRequest(order)));
    for (const aheadMs of [0, 3_600_000]) {
      const broker = await readBroker(session, historySince((tick?.time_msc ?? 0) + aheadMs));
      const deals = broker.deals.filter(({ symbol }) => symbol === 'EURUSD');
      expect([broker.positions, broker.historyOrders, deals].map((rows) => rows.length)).toEqual([1, 1, 1]);
    }
    await simulator.stop();
  });
});
