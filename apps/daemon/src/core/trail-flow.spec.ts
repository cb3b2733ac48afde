import type { CoreEventBody } from './core-event';
import { CoreRig, position, row } from './testing/core-rig';
import {
  close,
  wants,
  written,
  asked,
  executed,
  refused,
  found,
  invalidStops,
  awaitedOf,
  doneWith,
} from './testing/order-events';
import { answered, reported, unknown } from './testing/request-events';

describe('a trailing stop', () => {
  const terms = { tickSize: 0.00001, digits: 5, stopsDistance: 0, freezeDistance: 0 };
  const price = (bid: number): CoreEventBody => ({
    ...{ type: 'price', stream: 'eur', terms, quote: { timeMs: 0, bid, ask: bid + 0.0001 } },
  });
  const turn: CoreEventBody = { type: 'trail turn', broker: 'demo', ticket: 1, key: 'k1', isCurrent: true };
  const trailing = () => {
    const rig = new CoreRig([position(1)]);
    rig.sees([row(1)]);
    rig.does({
      type: 'trail',
      intent: { id: 't1', action: 'trail', position: 1, broker: null, trail: { distance: 0.01 } },
    });
    expect(rig.does(price(1.12))).toEqual([{ type: 'trail', broker: 'demo', ticket: 1 }]);
    return rig;
  };

  it('moves the stop-loss by a request that says so', () => {
    const rig = trailing();
    expect(rig.stores(turn)).toMatchObject([
      { intents: [{ intentId: 't1', isTrailing: true, call: { body: { position: 1, sl: 1.11 } } }] },
    ]);
  });

  it('pauses after a refusal, longer each time, and starts anew after a move', () => {
    const rig = trailing();
    const followed = () =>
      rig.core.state.trails.followed.map(({ refusals, pausedUntilMs }) => [refusals, pausedUntilMs]);
    const move = () => {
      rig.does(price(1.12));
      rig.does(written(awaitedOf(rig.does(turn)).n));
    };
    const refuse = () => {
      rig.does(written(awaitedOf(rig.does(refused(invalidStops))).n));
      rig.does(asked({ type: 'seen' }));
    };
    move();
    refuse();
    expect(followed()).toEqual([[1, 10_005]]);
    rig.at = { ...rig.at, nowMs: 10_005, monotonicMs: 10_005 };
    move();
    refuse();
    expect(followed()).toEqual([[2, 30_005]]);
    rig.at = { ...rig.at, nowMs: 30_005, monotonicMs: 30_005 };
    move();
    const { n } = doneWith(rig, executed({}), found(null));
    rig.does(written(n));
    expect(followed()).toEqual([[0, 30_005]]);
  });

  it.each([
    ['nothing else happened', () => undefined, 'send'],
    ['a nearer stop-loss is in place', (rig: CoreRig) => rig.sees([row(1, { sl: 1.115 })]), 'void key'],
    ['the same stop-loss is in place', (rig: CoreRig) => rig.sees([row(1, { sl: 1.11 })]), 'void key'],
    ['a farther stop-loss is in place', (rig: CoreRig) => rig.sees([row(1, { sl: 1.1 })]), 'send'],
    ['the account lacks the position', (rig: CoreRig) => rig.sees([]), 'send'],
    [
      'it was ended',
      (rig: CoreRig) =>
        rig.does({ type: 'trail', intent: { id: 't2', action: 'trail', position: 1, broker: null, trail: null } }),
      'void key',
    ],
    [
      'it was set anew',
      (rig: CoreRig) =>
        rig.does({
          ...{ type: 'trail' },
          intent: { id: 't2', action: 'trail', position: 1, broker: null, trail: { distance: 0.02 } },
        }),
      'void key',
    ],
    ['a close of the position is in flight', (rig: CoreRig) => rig.does(wants(close, 'k2')), 'void key'],
    [
      'a close of another position is in flight',
      (rig: CoreRig) => {
        rig.core.state.persist({ tickets: [position(2)] }, { at: rig.at, out: [] });
        return rig.does(wants({ ...close, position: 2 }, 'k2'));
      },
      'send',
    ],
  ] as const)('sends its move again after a lost answer where that is still right: %s', (_, happens, effect) => {
    const rig = trailing();
    rig.does(written(awaitedOf(rig.does(turn)).n));
    rig.does(asked(answered(unknown)));
    happens(rig);
    rig.does(asked({ type: 'journal', journal: { id: 'A', state: 'ok' } }));
    expect(rig.does(asked(reported(null)))).toMatchObject([{ type: 'ask', effect: { type: effect } }]);
  });
});
