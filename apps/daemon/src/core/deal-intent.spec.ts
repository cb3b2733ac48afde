import { DealEntry, TradeReason } from '@libs/trade-constants';
import type { IntentRecord } from './records';
import { intentOfDeal } from './order-intents';

const request = (intentId: string, path: '/close_position' | '/modify_sl_tp', more: object = {}): IntentRecord => ({
  ...{ key: intentId, strategy: 'ema', broker: 'demo', intentId, stream: 'eur', symbol: 'EURUSD', ticket: 9 },
  ...{ call: { method: 'POST', path, body: {} }, isEntry: false, createdAtMs: 0, state: 'open', outcome: null },
  ...more,
});
const close = request('c1', '/close_position');
const out = { entry: DealEntry.OUT, reason: TradeReason.EXPERT, position_id: 9 };

describe('the intent of a deal', () => {
  it('is that of its order, whatever is in flight', () => {
    expect(intentOfDeal('demo', out, 'i1', [close])).toBe('i1');
    expect(intentOfDeal('demo', { ...out, entry: DealEntry.IN }, 'i1', [])).toBe('i1');
  });

  it('is the close in flight of its position, if the order is not known yet', () => {
    expect(intentOfDeal('demo', out, undefined, [close])).toBe('c1');
    expect(intentOfDeal('demo', { ...out, entry: DealEntry.INOUT }, undefined, [close])).toBe('c1');
  });

  it.each<[string, object, readonly IntentRecord[]]>([
    ['a deal that opens', { entry: DealEntry.IN }, [close]],
    ['a deal of a stop', { reason: TradeReason.SL }, [close]],
    ['a deal made by hand', { reason: TradeReason.CLIENT }, [close]],
    ['a deal of another position', { position_id: 8 }, [close]],
    ['a deal on another gateway', {}, [request('c1', '/close_position', { broker: 'live' })]],
    ['a deal with a change of levels in flight', {}, [request('p1', '/modify_sl_tp')]],
    ['a deal with nothing in flight', {}, []],
  ])('is unknown for %s', (_what, changes, inFlight) => {
    expect(intentOfDeal('demo', { ...out, ...changes }, undefined, inFlight)).toBeNull();
  });
});
