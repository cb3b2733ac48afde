import { OrderState } from '@libs/trade-constants';
import { blankRecord, type OwnedTicket } from './records';
import { spec } from './testing/spec';
import type { CoreEffect } from './core-effect';
import type { CoreEventBody } from './core-event';
import { startOf } from './core-state';
import { StrategyCore } from './strategy-core';

const order: OwnedTicket = {
  ...{ strategy: 'ema', broker: 'demo', ticket: 1, stream: 'eur', symbol: 'EURUSD', intentId: 'i' },
  ...{ deals: [], volumeIn: '0', volumeOut: '0', working: true, closed: false, expiresMs: 1_000 },
};

const core = () =>
  new StrategyCore(startOf({ spec, record: blankRecord('ema'), tickets: [order], stacks: [], kept: null }));
const deliver = (to: StrategyCore, event: CoreEventBody): readonly CoreEffect[] => {
  const effects: CoreEffect[] = [];
  to.handle({ ...event, at: { nowMs: 0, monotonicMs: 0, isStopping: false, journals: { demo: 'A' } } }, effects);
  for (const effect of effects) {
    if (effect.type === 'persist') deliver(to, { type: 'persisted', n: effect.n, isDurable: true });
    if (effect.type === 'find order') {
      deliver(to, { type: 'order found', key: effect.key, order: effect.order, remembered: null });
    }
  }
  return effects;
};
const modify = (to: StrategyCore, key: string, expirationMs: number | null) => {
  const intent = { id: key, action: 'modify', order: 1, broker: 'demo', change: { expirationMs } } as const;
  deliver(to, { type: 'intent', intent, circumstances: null, key });
};
const done = (to: StrategyCore, key: string, successor = 0) => {
  const body = successor > 0 ? { result: { order: successor } } : {};
  const outcome = { kind: 'done', status: 200, body, replayed: false } as const;
  deliver(to, { type: 'request', key, event: { type: 'answered', outcome } });
};
const expiresMs = (of: StrategyCore) => of.state.book.find('demo', 1)?.expiresMs;

describe('the expiration of a pending order that is changed', () => {
  it('is the new one when the change is done, and not before', () => {
    const one = core();
    modify(one, 'a', 5_000);
    expect(expiresMs(one)).toBe(1_000);
    done(one, 'a');
    expect(expiresMs(one)).toBe(5_000);
  });

  it('is removed by null', () => {
    const one = core();
    modify(one, 'a', null);
    done(one, 'a');
    expect(expiresMs(one)).toBeUndefined();
  });

  it('is that of the newest change, also when the outcome of an earlier one is known later', () => {
    const one = core();
    modify(one, 'a', 5_000);
    modify(one, 'b', 9_000);
    done(one, 'b');
    done(one, 'a');
    expect(expiresMs(one)).toBe(9_000);
  });
});

describe('a pending order that the broker replaces when it is changed', () => {
  const cancelled = { state: OrderState.CANCELED, position_id: 0, volume_initial: 0.1, volume_current: 0.1 };

  it('goes on under its new ticket, with the changed expiration', () => {
    const one = core();
    modify(one, 'a', 5_000);
    done(one, 'a', 2);
    const { book } = one.state;
    expect(book.find('demo', 2)).toMatchObject({ intentId: 'i', working: true, closed: false, expiresMs: 5_000 });
    expect(book.openTickets.map(({ ticket }) => ticket)).toEqual([2]);
  });

  it('is not gone while the outcome of its change is open, and gone without one', () => {
    const one = core();
    const end = { type: 'order', broker: 'demo', ticket: 1, order: cancelled, owner: null, isHedging: true } as const;
    modify(one, 'a', 5_000);
    expect(deliver(one, end)).toEqual([]);
    done(one, 'a', 2);
    expect(one.state.book.openTickets.map(({ ticket }) => ticket)).toEqual([2]);
    expect(deliver(core(), end)).toContainEqual(expect.objectContaining({ type: 'gone' }));
  });
});
