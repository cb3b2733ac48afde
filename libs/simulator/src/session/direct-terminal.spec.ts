import { OrderType, Retcode, TradeAction, tradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { RunningSimulator } from '../testing/running-simulator';

describe('the direct terminal', () => {
  it('answers as the port does, at once', async () => {
    const { simulator, client } = await RunningSimulator.start();
    const direct = simulator.direct();
    const request = tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.3, type: OrderType.BUY });
    expect(direct.orderCheck(request)).toEqual(await client.orderCheck(request));
    expect(direct.checkedRetcode(request)).toBe(0);
    expect(direct.checkedRetcode({ ...request, volume: 500 })).toBe(Retcode.NO_MONEY);
    const sent = direct.orderSend(sealRequest('k1', request));
    const order = sent.kind === 'answered' ? sent.result.order : 0;
    expect(await client.positionsGet({ ticket: order })).toMatchObject([{ volume: 0.3 }]);
    expect(direct.positionsGet()).toEqual(await client.positionsGet());
    expect(direct.ordersGet()).toEqual(await client.ordersGet());
    expect(direct.historyDealsGet({ position: order })).toEqual(await client.historyDealsGet({ position: order }));
    expect(direct.historyOrdersGet({ ticket: order })).toEqual(await client.historyOrdersGet({ ticket: order }));
    expect(direct.symbolInfo('EURUSD')).toEqual(await client.symbolInfo('EURUSD'));
    const { volume_step, trade_stops_level, filling_mode, point } = direct.symbolInfo('EURUSD') ?? {};
    expect(direct.symbolTerms('EURUSD')).toMatchObject({ volume_step, trade_stops_level, filling_mode, point });
    expect(direct.symbolTerms('NOPE')).toBeNull();
    expect(direct.accountInfo()).toEqual(await client.accountInfo());
    expect(direct.orderCalcProfit(0, 'USDJPY', 1, 150, 151)).toBe(
      await client.orderCalcProfit(0, 'USDJPY', 1, 150, 151),
    );
    const tick = await client.symbolInfoTick('EURUSD');
    expect(direct.symbolInfoTick('EURUSD')).toEqual(tick);
    expect(direct.quote('EURUSD')).toMatchObject({ bid: tick?.bid, ask: tick?.ask });
    expect([direct.quote('NOPE'), direct.closingBars('NOPE', 1, 0)]).toEqual([null, null]);
  });

  it('checks a request again unless it was checked at this instant', async () => {
    const { simulator } = await RunningSimulator.start();
    const direct = simulator.direct();
    const offGrid = tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.305, type: OrderType.BUY });
    const sent = direct.orderSend(sealRequest('k1', offGrid));
    expect(sent).toMatchObject({ kind: 'answered', result: { retcode: Retcode.INVALID_VOLUME } });
    expect(direct.orderSend(sealRequest('k2', offGrid), true)).toMatchObject({ result: { retcode: Retcode.DONE } });
  });

  it("sends nothing that the terminal's own checks refuse", async () => {
    const { simulator } = await RunningSimulator.start();
    const direct = simulator.direct();
    const comment = 'a comment that is longer than 29 characters';
    const request = tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', volume: 0.3, comment });
    expect(direct.orderSend(sealRequest('k1', request))).toMatchObject({
      kind: 'refused',
      lastError: { message: 'Invalid "comment" argument' },
    });
    expect(direct.positionsGet()).toEqual([]);
  });
});
