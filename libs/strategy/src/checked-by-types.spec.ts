import { defineStrategy, type Handlers, type Trade } from './index';

/*
 * Never run: the type check of these lines is the test. A line that the compiler no longer refuses fails it, because of
 * its unused @ts-expect-error.
 */
class Params {
  volume = 0.1;
}

const pairs = defineStrategy({
  version: 1,
  params: Params,
  streams: ['fast', 'slow'],
  create: ({ streams }) => ({
    onBar(bar, trade) {
      trade.buy('fast', { volume: 1 });
      trade.buy(streams.slow, { volume: 1, deviation: 5 });
      helper(trade);
      // @ts-expect-error: the strategy has no such stream
      trade.buy('fats', { volume: 1 });
      // @ts-expect-error: the strategy has no such stream
      trade.position('fats');
      // @ts-expect-error: the strategy has no such stream
      trade.stack({ stream: 'fats', direction: 'buy', layers: 2, spacing: 1, volume: 1 });
      // @ts-expect-error: the strategy has no such stream
      trade.oco([{ stream: 'fats', side: 'buy', volume: 1, kind: 'stop', price: 1.2 }]);
      // @ts-expect-error: no bar has this stream
      if (bar.stream === 'fats') return;
      const [position] = trade.positions();
      if (position) trade.buy(position.stream, { volume: position.volume });
      // @ts-expect-error: no position has this stream
      if (position?.stream === 'fats') trade.close(position);
      // @ts-expect-error: no order has this stream
      if (trade.orders()[0]?.stream === 'fats') return;
      // @ts-expect-error: the strategy has no such stream
      if (trade.account('fats').freeMargin < 0) return;
    },
    onTick(tick, trade) {
      // @ts-expect-error: no tick has this stream
      if (tick.stream === 'fats') trade.log('never');
    },
    onFill(fill, trade) {
      trade.sell(fill.stream, { volume: fill.volume });
      // @ts-expect-error: no fill has this stream
      if (fill.stream === 'fats') trade.log('never');
    },
    onOrderGone(gone, trade) {
      trade.buy(gone.stream, { volume: gone.volume });
      // @ts-expect-error: no order has this stream
      if (gone.stream === 'fats') trade.log('never');
    },
  }),
});

function helper(trade: Trade): void {
  trade.sell('any alias', { volume: 1, kind: 'limit', price: 1.2, expirationMs: 5 });
  trade.sell('any alias', { volume: 1, kind: 'stop_limit', price: 1.2, stoplimit: 1.3 });
  // @ts-expect-error: a limit order needs a price
  trade.buy('main', { volume: 1, kind: 'limit' });
  // @ts-expect-error: a stop-limit order needs a stoplimit
  trade.buy('main', { volume: 1, kind: 'stop_limit', price: 1.2 });
  // @ts-expect-error: a market order has no price
  trade.buy('main', { volume: 1, price: 1.2 });
  // @ts-expect-error: a market order does not lapse
  trade.buy('main', { volume: 1, expirationMs: 5 });
  // @ts-expect-error: a stop order has no deviation
  trade.buy('main', { volume: 1, kind: 'stop', price: 1.2, deviation: 5 });
  trade.oco([
    { stream: 'main', side: 'buy', volume: 1, kind: 'stop', price: 1.2 },
    { stream: 'main', side: 'sell', volume: 1, kind: 'stop_limit', price: 1.1, stoplimit: 1.11 },
    // @ts-expect-error: a market order fills at once
    { stream: 'main', side: 'sell', volume: 1 },
    // @ts-expect-error: it has no side
    { stream: 'main', volume: 1, kind: 'stop', price: 1.2 },
  ]);
  // @ts-expect-error: there is no such kind
  trade.buy('main', { volume: 1, kind: 'oco', price: 1.2 });
  trade.trail(7, { distance: 0.001, activateAt: 0.002 });
  trade.trail(7, null);
  trade.buy('main', { volume: 1, tag: 'first' });
  // @ts-expect-error: a tag is a text
  trade.buy('main', { volume: 1, tag: 5 });
  // @ts-expect-error: a trailing stop needs a distance
  trade.trail(7, { step: 0.001 });
  for (const kind of ['limit', 'stop'] as const) trade.buy('main', { volume: 1, kind, price: 1.2 });
}

const anyStreams = defineStrategy({
  version: 1,
  params: Params,
  create: () => ({ onBar: (_bar, trade) => void trade.buy('an alias of the configuration', { volume: 1 }) }),
});

const keeping = defineStrategy({
  version: 1,
  params: Params,
  state: {
    version: 2,
    initial: { losses: 0, anchor: null as number | null },
    // @ts-expect-error: the result lacks the anchor
    migrate: (old) => ({ losses: Number(old) }),
  },
  create: () => ({
    onFill(fill, trade) {
      if (fill.realized < 0) trade.state.losses += 1;
      trade.state.anchor = fill.price;
      trade.state = { losses: 0, anchor: null };
      helper(trade);
      // @ts-expect-error: the state has no such member
      trade.state.wins = 1;
      // @ts-expect-error: the losses are a number
      trade.state.losses = 'none';
      // @ts-expect-error: the anchor is missing
      trade.state = { losses: 0 };
    },
  }),
});

const keepingNothing = defineStrategy({
  version: 1,
  params: Params,
  create: () => ({
    onTimer(_timer, trade) {
      // @ts-expect-error: the strategy declares no state
      trade.state.losses = 1;
    },
  }),
});

const handlers: Handlers = { onTick: (tick, trade) => void trade.quote(tick.stream) };

describe('the types of a strategy', () => {
  it('compile', () => {
    expect([pairs.streams, anyStreams.streams, typeof handlers.onTick]).toEqual([['fast', 'slow'], null, 'function']);
    expect([keeping.state?.version, keepingNothing.state]).toEqual([2, null]);
  });
});
