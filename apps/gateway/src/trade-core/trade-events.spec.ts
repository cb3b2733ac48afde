import { OrderType, Retcode, tradeRequest, TradeAction } from '@libs/terminal-client';
import type { IntentRecord, SettledOutcome, TradeRequestRecord } from './journal-records';
import { acceptedEvent, intentEvent, outcomeEvent, resolvedEvent } from './trade-events';

const record: TradeRequestRecord = {
  ...{ clientOrderId: 'k', requestId: 'r', traceId: 't', keyRole: 'primary', login: 7 },
  ...{ method: 'POST', path: '/order', route: 'POST /order', fingerprint: '0123456789abcdef0123' },
  ...{ id: 'id', key: 'k', status: 'in_progress', createdAtMs: 1, settledAtMs: null },
  ...{ responseStatus: null, response: null },
};
const market = tradeRequest({
  ...{ action: TradeAction.DEAL, type: OrderType.SELL, symbol: 'EURUSD', volume: 0.1, price: 1.1, sl: 1.2, tp: 1 },
  ...{ deviation: 20, magic: 5, comment: 'c' },
});
const intent: IntentRecord = {
  ...{ id: 'id/0', key: 'k', purpose: 'open', request: market, serverTimeMsc: 99, positionId: 0, positionVolume: 0 },
  ...{ createdAtMs: 1, outcome: { kind: 'pending' } },
};
const of = { request_id: 'r', trace_id: 't', api_key: 'primary', client_order_id: 'k', route: 'POST /order', login: 7 };
const asked = {
  ...{ ticket: null, position: null, symbol: 'EURUSD', side: 'sell', order_type: 'SELL', volume_requested: 0.1 },
  ...{ price_requested: 1.1, sl: 1.2, tp: 1, deviation: 20, magic: 5, comment: 'c' },
};
const answer = { request_id: 1, retcode_external: 0, bid: 1, ask: 1, comment: '' };
const filled = { ...answer, retcode: Retcode.DONE, order: 11, deal: 12, volume: 0.1, price: 1.3 };
const done: SettledOutcome = { kind: 'done', result: filled, source: 'answer' };
const unknown: SettledOutcome = { kind: 'unknown', reason: 'r', result: null, lastError: null };

describe('the audit line of an intent', () => {
  it('has the request, the order, and what its outcome is looked up with', () => {
    expect(intentEvent(record, 'id/0', intent)).toEqual({
      ...{ event: 'intent', ...of, intent_id: 'id/0', ...asked },
      ...{ position_id: null, position_volume: null, server_time_msc: 99, request_fingerprint: '0123456789abcdef' },
    });
  });

  it('has the position that is closed, as it was before', () => {
    const close = { ...intent, positionId: 13, positionVolume: 0.3, request: { ...market, position: 13 } };
    const facts = { position: 13, position_id: 13, position_volume: 0.3 };
    expect(intentEvent(record, 'id/0', close)).toMatchObject(facts);
  });

  it('has null for what an earlier version did not record, and no account while none is known', () => {
    const { traceId: _, keyRole: __, ...earlier } = record;
    const event = intentEvent({ ...earlier, login: null }, 'id/0', intent);
    expect(event).toMatchObject({ trace_id: null, api_key: null });
    expect(event).not.toHaveProperty('login');
  });

  it.each([
    ['a pending order', tradeRequest({ ...market, action: TradeAction.PENDING, type: OrderType.BUY_LIMIT }), 'buy'],
    ['a market order', market, 'sell'],
  ])('has the side, the type, the deviation and the magic number of %s', (_case, request, side) => {
    const event = intentEvent(record, 'id/0', { ...intent, request });
    expect(event).toMatchObject({ side, deviation: 20, magic: 5 });
    expect(event.order_type).not.toBeNull();
  });

  it('has null for a side and for values that a change does not have', () => {
    const request = tradeRequest({ action: TradeAction.MODIFY, order: 21, deviation: 20, magic: 5 });
    expect(intentEvent(record, 'id/0', { ...intent, request })).toMatchObject({
      ...{ ticket: 21, symbol: null, side: null, order_type: null, volume_requested: null, price_requested: null },
      ...{ sl: null, tp: null, deviation: null, magic: null, comment: null },
    });
  });
});

describe('the audit line of an outcome', () => {
  it.each([
    ['broker_response', null, done],
    ['broker_response', 'broker_rejected', { kind: 'rejected', result: null, lastError: null }],
    ['refused', 'terminal_unavailable', { kind: 'not_sent', reason: 'r', lastError: null }],
    ['refused', 'broker_rejected', { kind: 'absent' }],
    ['unknown_outcome', 'unknown_outcome', unknown],
  ] satisfies [string, string | null, SettledOutcome][])('is %s with the error %s', (event, error_type, outcome) => {
    const line = outcomeEvent(record, intent, outcome, null);
    expect(line).toMatchObject({ event, error_type, ...of, intent_id: 'id/0', symbol: 'EURUSD', latency_ms: null });
  });

  it('has what the broker answered, and the latency to the microsecond', () => {
    expect(outcomeEvent(record, intent, done, 12.345_678)).toEqual({
      ...{ event: 'broker_response', ...of, intent_id: 'id/0', ...asked, ticket: 11, deal: 12 },
      ...{ volume_filled: 0.1, price_filled: 1.3, retcode: 10009, retcode_name: 'DONE' },
      ...{ latency_ms: 12.346, error_type: null },
    });
  });

  it('has no fill without a deal, no price that the broker does not state, and the ticket that was asked for', () => {
    const request = { ...market, order: 21 };
    const line = (result: typeof filled) =>
      outcomeEvent(record, { ...intent, request }, { kind: 'done', result, source: 'answer' }, null);
    const unfilled = { ticket: 21, deal: null, volume_filled: null, price_filled: null };
    expect(line({ ...filled, order: 0, deal: 0 })).toMatchObject(unfilled);
    expect(line({ ...filled, price: 0 })).toMatchObject({ deal: 12, volume_filled: 0.1, price_filled: null });
  });

  it('has no retcode without an answer of the broker', () => {
    expect(outcomeEvent(record, intent, unknown, null)).not.toHaveProperty('retcode');
  });
});

describe('the audit line of an unknown outcome that is resolved', () => {
  it.each([
    ['recovered', done],
    ['refused', { kind: 'absent' }],
    ['refused', { kind: 'rejected', result: null, lastError: null }],
    ['unknown_outcome', unknown],
  ] satisfies [string, SettledOutcome][])('is %s', (event, outcome) => {
    expect(resolvedEvent(record, intent, outcome)).toMatchObject({ event, intent_id: 'id/0' });
  });

  it('has the operator that accepted it', () => {
    const caller = { request_id: 'of the operator', trace_id: 'tt', api_key: 'next' } as const;
    expect(acceptedEvent(record, intent, caller)).toEqual({
      ...{ event: 'outcome_accepted', ...of, ...caller, error_type: 'unknown_outcome', intent_id: 'id/0', ...asked },
    });
  });
});
