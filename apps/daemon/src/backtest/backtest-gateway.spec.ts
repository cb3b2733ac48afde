import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tradeCalls, type OrderRequest } from '@libs/gateway-client';
import { Retcode, SymbolTradeMode } from '@libs/trade-constants';
import { BacktestGateway } from './backtest-gateway';
import { BacktestMarket } from './backtest-market';
import { backtestLimits } from './backtest.config';
import { writeTicks } from './testing/written-prices';
import { streamsOf } from './testing/written-strategy';

const startMs = Date.UTC(2024, 0, 9, 12);
const ticks = Array.from({ length: 30 }, (_, minute) => [startMs + minute * 60_000, 1.1, 1.1001] as const);
const folder = mkdtempSync(join(tmpdir(), 'backtest-gateway-'));
const files = [writeTicks(join(folder, 'eurusd.csv'), ticks)];
const entry = (changes: Partial<OrderRequest> = {}) =>
  tradeCalls.order({ symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 7, ...changes });

describe('the gateway of a backtest', () => {
  let market: BacktestMarket;
  let gateway: BacktestGateway;
  beforeEach(() => open({}));
  afterEach(() => market.close());

  const open = async (broker: Readonly<Record<string, string>>): Promise<void> => {
    const [streams, pastBars] = [streamsOf({ main: 'EURUSD@M1' }), { main: 0 }];
    const period = { fromMs: null, toMs: null };
    market = await BacktestMarket.open({
      files,
      streams,
      ...period,
      pastBars,
      balance: 10_000,
      broker,
      acceptFaulty: false,
    });
    market.advanceTo(startMs + 60_000);
    gateway = new BacktestGateway(market, backtestLimits({ MAX_ORDER_VOLUME: '90' }), 0);
  };

  it('answers a call that is done with the order, and whether it is filled or waits', () => {
    const bought = gateway.send(entry(), 'k1');
    expect(bought).toMatchObject({ kind: 'done', body: { state: 'executed' } });
    const order = bought.kind === 'done' ? Number(bought.body.result?.order) : 0;
    expect(market.terminal.positionsGet({ ticket: order })).toMatchObject([{ magic: 7, volume: 0.1 }]);
    const pending = gateway.send(entry({ type: 'BUY_LIMIT', price: 1.09 }), 'k2');
    expect(pending).toMatchObject({ kind: 'done', body: { state: 'placed' } });
    const [{ ticket = 0 } = {}] = market.terminal.ordersGet();
    for (const call of [
      tradeCalls.modifySlTp({ position: order, sl: 1.08 }),
      tradeCalls.closePosition({ position: { ticket: order, volume: 0.04 } }),
      tradeCalls.cancelOrder(ticket),
    ]) {
      expect(gateway.send(call, 'k3')).toMatchObject({ kind: 'done' });
    }
    expect(market.terminal.positionsGet()).toMatchObject([{ volume: 0.06, sl: 1.08 }]);
    expect(market.terminal.ordersGet()).toEqual([]);
  });

  it('rejects with the error type, the status and the return code of the gateway', () => {
    expect(gateway.send(entry({ volume: 91 }), 'k1')).toMatchObject({
      ...{ kind: 'rejected', status: 422, errorType: 'volume_limit_exceeded', terminalError: null },
    });
    expect(gateway.send(entry({ volume: 90 }), 'k2')).toMatchObject({
      ...{ kind: 'rejected', status: 422, errorType: 'broker_rejected' },
      terminalError: { retcode: Retcode.NO_MONEY },
    });
    expect(gateway.send(tradeCalls.cancelOrder(7), 'k3')).toMatchObject({
      ...{ kind: 'rejected', status: 404, errorType: 'not_found', error: 'no pending order 7' },
    });
  });

  it.each([
    ['DISABLED', 'BUY', 'the broker has disabled trading of EURUSD'],
    ['CLOSEONLY', 'BUY', 'EURUSD is close-only at the broker: positions can be closed, not opened'],
    ['LONGONLY', 'SELL', 'EURUSD is long-only at the broker: it can be bought, not sold'],
    ['SHORTONLY', 'BUY', 'EURUSD is short-only at the broker: it can be sold, not bought'],
  ] as const)(
    'refuses an entry as the gateway does while the symbol is %s, before its prices',
    async (mode, type, error) => {
      await market.close();
      const terms = join(folder, `${mode}.json`);
      writeFileSync(terms, JSON.stringify({ symbols: [{ name: 'EURUSD', trade_mode: SymbolTradeMode[mode] }] }));
      await open({ SIM_SYMBOLS: terms });
      const rejected = { kind: 'rejected', status: 422, errorType: 'broker_rejected', error, terminalError: null };
      expect(gateway.send(entry({ type }), 'k1')).toMatchObject(rejected);
      expect(gateway.send(entry({ type, sl: type === 'BUY' ? 2 : 0.1 }), 'k2')).toMatchObject(rejected);
      const allowed = gateway.send(entry({ type: type === 'BUY' ? 'SELL' : 'BUY' }), 'k3');
      expect(allowed.kind).toBe(mode === 'LONGONLY' || mode === 'SHORTONLY' ? 'done' : 'rejected');
    },
  );
});
