import { LastErrorCode, OrderType, Retcode, TradeAction, tradeRequest } from '@libs/terminal-client';
import { Counter, Histogram } from 'prom-client';
import type { SettledOutcome } from '../trade-core/journal-records';
import { TradeMetrics } from './trade.metrics';

describe('the labels of the trade metrics', () => {
  const counter = <Label extends string>(name: string, labelNames: readonly Label[] = []): Counter<Label> =>
    new Counter({ name, help: name, labelNames, registers: [] });
  const made = () => {
    const submitted = counter('submitted', ['symbol', 'side']);
    const failed = counter('failed', ['retcode_name']);
    const [refusals, replays, unknowns] = [counter('refusals', ['error_type']), counter('r'), counter('u')];
    const duration = new Histogram({ name: 'duration', help: 'd', registers: [] });
    return { submitted, failed, metrics: new TradeMetrics(submitted, failed, refusals, replays, unknowns, duration) };
  };
  const labelsOf = async (of: Counter): Promise<object[]> =>
    (await of.get()).values.map(({ labels, value }) => ({ ...labels, value }));

  it('name the side of each order that is sent, and count no change of levels', async () => {
    const { metrics, submitted } = made();
    const send = (action: number, type: number): void =>
      metrics.sending(tradeRequest({ action, type, symbol: 'EURUSD', volume: 0.1 }));
    send(TradeAction.DEAL, OrderType.BUY);
    send(TradeAction.PENDING, OrderType.SELL_LIMIT);
    send(TradeAction.PENDING, OrderType.BUY_STOP_LIMIT);
    send(TradeAction.SLTP, OrderType.SELL);
    expect(await labelsOf(submitted)).toEqual([
      { symbol: 'EURUSD', side: 'buy', value: 2 },
      { symbol: 'EURUSD', side: 'sell', value: 1 },
    ]);
  });

  it('name the retcode of a rejection, or what the terminal itself rejected', async () => {
    const { metrics, failed } = made();
    const settle = (outcome: object): void => metrics.settled({ kind: 'rejected', ...outcome } as SettledOutcome, 5);
    settle({ result: { retcode: Retcode.PRICE_OFF } });
    settle({ result: null, lastError: { code: LastErrorCode.AUTO_TRADING_DISABLED } });
    settle({ result: null, lastError: { code: LastErrorCode.INVALID_PARAMS } });
    const names = ['PRICE_OFF', 'AUTO_TRADING_DISABLED', 'INVALID_PARAMS'];
    expect(await labelsOf(failed)).toEqual(names.map((retcode_name) => ({ retcode_name, value: 1 })));
  });
});
