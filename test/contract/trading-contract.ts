import {
  LastErrorCode,
  OrderFilling,
  OrderType,
  PositionType,
  Retcode,
  TradeAction,
  tradeRequest,
} from '@libs/terminal-client';
import * as fields from './record-fields';
import { eurusd, fieldsOf, forever, round, type TerminalRig } from './terminal-rig';

/** What every driver of the port does with orders. */
export function tradingContract(rig: TerminalRig): void {
  describe('trading', () => {
    it('opens a position, and shows it in order, deal and position', async () => {
      const result = await rig.buy({ magic: 77, comment: 'contract' });
      expect(fieldsOf(result)).toEqual(fields.sendFields);
      expect(result).toMatchObject({ volume: 0.1, price: expect.any(Number) });
      const [position, ...others] = await rig.terminal.positionsGet({ ticket: result.order });
      expect(others).toEqual([]);
      expect(position).toMatchObject({
        symbol: 'EURUSD',
        type: PositionType.BUY,
        volume: 0.1,
        magic: 77,
        comment: 'contract',
      });
      expect(fieldsOf(position)).toEqual(fields.positionFields);
      const [deal] = await rig.terminal.historyDealsGet({ position: result.order });
      expect(deal).toMatchObject({ ticket: result.deal, order: result.order, entry: 0, price: result.price });
      expect(fieldsOf(deal)).toEqual(fields.dealFields);
      const [order] = await rig.terminal.historyOrdersGet({ ticket: result.order });
      expect(order).toMatchObject({ ticket: result.order, volume_initial: 0.1, magic: 77 });
      expect(fieldsOf(order)).toEqual(fields.orderFields);
      const inWindow = await rig.terminal.historyDealsGet(forever);
      expect(inWindow.map(({ ticket }) => ticket)).toContain(result.deal);
      expect(await rig.terminal.historyDealsGet({ from: 0, to: 1_000 })).toEqual([]);
    });

    it('filters positions, and an unknown one is an empty list, not a failure', async () => {
      expect(await rig.terminal.positionsGet({ symbol: 'USDJPY' })).toEqual([]);
      expect(await rig.terminal.positionsGet({ ticket: 1 })).toEqual([]);
      expect((await rig.terminal.positionsGet({ group: 'EUR*' })).length).toBeGreaterThan(0);
      expect(await rig.terminal.ordersGet()).toEqual([]);
    });

    it('takes whole lots and whole prices as well as broken ones', async () => {
      const result = await rig.buy({ volume: 1, sl: 0, tp: 2 });
      expect(await rig.terminal.positionsGet({ ticket: result.order })).toMatchObject([{ volume: 1, sl: 0, tp: 2 }]);
    });

    it('sets levels, closes a part and closes the rest', async () => {
      const { order, price } = await rig.buy();
      await rig.done({
        action: TradeAction.SLTP,
        symbol: 'EURUSD',
        position: order,
        sl: round(price - 0.02),
        tp: round(price + 0.02),
      });
      expect(await rig.terminal.positionsGet({ ticket: order })).toMatchObject([
        { sl: round(price - 0.02), tp: round(price + 0.02) },
      ]);
      const close = { action: TradeAction.DEAL, ...eurusd, type: OrderType.SELL, position: order };
      await rig.done({ ...close, volume: 0.04, price: (await rig.terminal.symbolInfoTick('EURUSD'))?.bid ?? 0 });
      expect(await rig.terminal.positionsGet({ ticket: order })).toMatchObject([{ volume: 0.06 }]);
      await rig.done({ ...close, volume: 0.06, price: (await rig.terminal.symbolInfoTick('EURUSD'))?.bid ?? 0 });
      expect(await rig.terminal.positionsGet({ ticket: order })).toEqual([]);
      const deals = await rig.terminal.historyDealsGet({ position: order });
      expect(deals.map(({ entry }) => entry)).toEqual([0, 1, 1]);
    });

    it('places, changes and removes a pending order', async () => {
      const price = round((await rig.terminal.symbolInfoTick('EURUSD'))?.bid ?? 0);
      const { order } = await rig.done({
        ...{ action: TradeAction.PENDING, ...eurusd, type: OrderType.BUY_LIMIT, type_filling: OrderFilling.RETURN },
        price: round(price - 0.03),
      });
      const [pending] = await rig.terminal.ordersGet({ ticket: order });
      expect(pending).toMatchObject({
        type: OrderType.BUY_LIMIT,
        price_open: round(price - 0.03),
        volume_current: 0.1,
      });
      expect(fieldsOf(pending)).toEqual(fields.orderFields);
      await rig.done({ action: TradeAction.MODIFY, symbol: 'EURUSD', order, price: round(price - 0.04) });
      expect(await rig.terminal.ordersGet({ symbol: 'EURUSD' })).toMatchObject([{ price_open: round(price - 0.04) }]);
      await rig.done({ action: TradeAction.REMOVE, symbol: 'EURUSD', order });
      expect(await rig.terminal.ordersGet()).toEqual([]);
      expect(await rig.terminal.historyOrdersGet({ ticket: order })).toMatchObject([{ ticket: order, state: 2 }]);
    });

    it('checks an order without sending it', async () => {
      const price = (await rig.terminal.symbolInfoTick('EURUSD'))?.ask ?? 0;
      const before = await rig.terminal.positionsGet();
      const check = await rig.terminal.orderCheck(tradeRequest({ action: TradeAction.DEAL, ...eurusd, price }));
      expect(fieldsOf(check)).toEqual(fields.checkFields);
      expect(check).toMatchObject({ retcode: 0, comment: 'Done' });
      const far = await rig.terminal.orderCheck(
        tradeRequest({ action: TradeAction.DEAL, ...eurusd, price, volume: 400 }),
      );
      expect(far.retcode).toBe(Retcode.NO_MONEY);
      expect((await rig.terminal.positionsGet()).length).toBe(before.length);
    });

    it('computes margin and profit, and null where it can not', async () => {
      expect(await rig.terminal.orderCalcMargin(OrderType.BUY, 'USDJPY', 1, 150)).toBe(1_000);
      expect(await rig.terminal.orderCalcProfit(OrderType.BUY, 'EURUSD', 1, 1.1, 1.11)).toBe(1_000);
      expect(await rig.terminal.orderCalcMargin(OrderType.BUY, 'NOSUCH', 1, 1)).toBeNull();
      expect(await rig.terminal.orderCalcProfit(OrderType.BUY, 'NOSUCH', 1, 1, 2)).toBeNull();
    });

    it('is answered with the retcode of a server that says no', async () => {
      await rig.subject.setFault({ kind: 'retcode', retcode: Retcode.MARKET_CLOSED, times: 1 });
      const outcome = await rig.send({ action: TradeAction.DEAL, ...eurusd });
      expect(outcome).toMatchObject({ kind: 'answered', result: { retcode: Retcode.MARKET_CLOSED, deal: 0 } });
    });

    it('is refused with -8, and nothing is done, while the terminal takes no orders of programs', async () => {
      const before = await rig.terminal.historyDealsGet(forever);
      await rig.subject.setFault({ kind: 'trading-off', by: 'api' });
      const outcome = await rig.send({ action: TradeAction.DEAL, ...eurusd });
      const { tradeapi_disabled } = await rig.terminal.terminalInfo();
      await rig.subject.clearFaults();
      expect(outcome).toMatchObject({ kind: 'refused', lastError: { code: LastErrorCode.AUTO_TRADING_DISABLED } });
      expect(tradeapi_disabled).toBe(true);
      expect(await rig.terminal.historyDealsGet(forever)).toEqual(before);
    });

    it('is refused by the package before anything is sent when the comment is too long', async () => {
      const before = await rig.terminal.historyDealsGet(forever);
      const outcome = await rig.send({ action: TradeAction.DEAL, ...eurusd, comment: 'x'.repeat(40) });
      expect(outcome).toMatchObject({
        kind: 'refused',
        lastError: { code: LastErrorCode.INVALID_PARAMS, message: 'Invalid "comment" argument' },
      });
      expect(await rig.terminal.historyDealsGet(forever)).toEqual(before);
    });
  });
}
