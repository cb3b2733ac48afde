import { TradeAction, tradeRequest, type OrderSendResult, type TradeRequest } from '@libs/terminal-client';
import type { SettledOutcome, TradePurpose } from '../trade-core/journal-records';
import { touchedBy } from './touched-by';

const result: OrderSendResult = {
  ...{ retcode: 10_009, deal: 7, order: 8, volume: 0.1, price: 1, bid: 1, ask: 1, comment: '' },
  ...{ request_id: 1, retcode_external: 0 },
};
const done: SettledOutcome = { kind: 'done', result, source: 'answer' };
const intent = (purpose: TradePurpose, fields: Partial<TradeRequest>, outcome: SettledOutcome = done) => ({
  ...{ purpose, outcome },
  request: tradeRequest({ action: TradeAction.DEAL, ...fields }),
});
const rows = (orders: number[], positions: number[]) => ({
  ...{ orders: new Set(orders), positions: new Set(positions) },
  isWider: false,
});

describe('the rows that a send of the gateway may have changed', () => {
  it('are those that its request and its answer name', () => {
    expect(touchedBy(intent('open', {}), true)).toEqual(rows([8], []));
    expect(touchedBy(intent('close', { position: 5 }), true)).toEqual(rows([8], [5]));
    expect(touchedBy(intent('close', { position: 5, position_by: 6 }), true)).toEqual(rows([8], [5, 6]));
    const named: SettledOutcome = { ...done, result: { ...result, order: 0 } };
    expect(touchedBy(intent('modify_levels', { position: 5 }, named), true)).toEqual(rows([], [5]));
    expect(touchedBy(intent('cancel', { order: 4 }, named), true)).toEqual(rows([4], []));
  });

  it('can be any on a netting account, and after a send whose order is unknown', () => {
    expect(touchedBy(intent('open', {}), false)?.isWider).toBe(true);
    const nameless: SettledOutcome = { ...done, result: { ...result, order: 0 } };
    expect(touchedBy(intent('open', {}, nameless), true)?.isWider).toBe(true);
    const unknown: SettledOutcome = { kind: 'unknown', reason: '', result: null, lastError: null };
    expect(touchedBy(intent('open', {}, unknown), true)?.isWider).toBe(true);
  });

  it('are none if nothing was done', () => {
    expect(touchedBy(intent('open', {}, { kind: 'rejected', result, lastError: null }), true)).toBeNull();
    expect(touchedBy(intent('open', {}, { kind: 'not_sent', reason: '', lastError: null }), true)).toBeNull();
    expect(touchedBy(intent('open', {}, { kind: 'absent' }), true)).toBeNull();
  });
});
