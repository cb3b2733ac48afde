import { blankRecord, type OwnedTicket } from './records';
import { spec } from '../testing/desk-rig';
import type { CoreEffect } from './core-effect';
import type { CoreEventBody } from './core-event';
import { startOf } from './core-state';
import { StrategyCore } from './strategy-core';

const order: OwnedTicket = {
  ...{ strategy: 'ema', broker: 'demo', ticket: 1, stream: 'eur', symbol: 'EURUSD', intentId: 'i' },
  ...{ deals: [], volumeIn: '0', volumeOut: '0', working: true, closed: false, expiresMs: 1_000 },
};

describe('the expiration of a pending order that is changed', () => {
  const core = () =>
    new StrategyCore(startOf({ spec, record: blankRecord('ema'), tickets: [order], stacks: [], kept: null }));
  const deliver = (to: StrategyCore, event: CoreEventBody): readonly CoreEffect[] => {
    const effects: CoreEffect[] = [];
    to.handle({ ...event, at: { nowMs: 0, monotonicMs: 0, isStopping: false, journals: { demo: 'A' } } }, effects);
    for (const effect of effects) {
      if (effect.type === 'persist') deliver(to, { type: 'persisted', n: effect.n, isDurable: true });
      if (effect.type === 'find order') {
        deliver(to, { type: 'order found', key: effect.key, order: null, remembered: null });
      }
    }
    return effects;
  };
  const modify = (to: StrategyCore, key: string, expirationMs: number | null) => {
    const intent = { id: key, action: 'modify', order: 1, broker: 'demo', change: { expirationMs } } as const;
    deliver(to, { type: 'intent', intent, circumstances: null, key });
  };
  const done = (to: StrategyCore, key: string) => {
    const outcome = { kind: 'done', status: 200, body: {}, replayed: false } as const;
    deliver(to, { type: 'request', key, event: { type: 'answered', outcome } });
  };
  const expiresMs = (of: StrategyCore) => of.state.book.find('demo', 1)?.expiresMs;

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
