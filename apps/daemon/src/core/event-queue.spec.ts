import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Fill, OrderGone, Reject } from '@libs/strategy';
import fc from 'fast-check';
import type { StrategyEvent } from './strategy-event';
import { EventQueue, type QueueItem } from './event-queue';

const fill: Fill = {
  ...{ stream: 'main', symbol: 'EURUSD', side: 'buy', volume: 0.1, price: 1.1, position: 7, deal: 1 },
  ...{ entry: 'in', reason: 'strategy', tag: null, intentId: 's1', realized: 0, timeMs: 0 },
};
const reject: Reject = { intentId: 'i1', kind: 'denied', reason: 'no', retcode: null };
const gone: OrderGone = {
  ...{ intentId: 'i1', order: 1, stream: 'main', symbol: 'EURUSD', kind: 'cancelled', volume: 0.1, filled: 0 },
} as const;
const bar = { stream: 'main', symbol: 'EURUSD', timeframe: 'M1', timeMs: 0, open: 1, high: 1, low: 1, close: 1 };

const kinds = ['fill', 'reject', 'gone', 'layer', 'bar', 'tick', 'turn'] as const;
type Kind = (typeof kinds)[number];
const own: readonly Kind[] = ['fill', 'reject', 'gone', 'layer'];

/** An item of a kind with a number of its own. */
function itemOf(kind: Kind, n: number): QueueItem<number> {
  if (kind === 'turn') return { type: 'turn', turn: n };
  if (kind === 'layer') return { type: 'layer', layer: { stackId: 's1', layer: n, stream: 'main' } };
  const events: Readonly<Record<Exclude<Kind, 'turn' | 'layer'>, StrategyEvent>> = {
    fill: { type: 'fill', fill },
    reject: { type: 'reject', reject },
    gone: { type: 'gone', gone },
    bar: {
      ...{ type: 'bar', warmingUp: false, serverMs: 0, closedMs: 0, onArrival: null },
      bar: { ...bar, tickVolume: 1, lateMs: 0 },
    },
    tick: { type: 'tick', tick: { stream: 'main', symbol: 'EURUSD', timeMs: 0, bid: 1, ask: 1 }, serverMs: 0 },
  };
  return { type: 'event', event: events[kind], receivedNanos: n };
}

const most = 1_000;

describe('the queue of a strategy', () => {
  it('delivers its own events first, each kind in its order, and drops only the oldest ticks', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom(...kinds), count: fc.constantFrom(1, 1, 3, 600) }) },
      { weight: 2, arbitrary: fc.record({ takes: fc.constantFrom(1, 2, 700) }) },
      { weight: 1, arbitrary: fc.record({ clears: fc.constantFrom('market', 'all') }) },
    );
    const property = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const queue = new EventQueue<number>();
      let waiting: { readonly kind: Kind; readonly item: QueueItem<number> }[] = [];
      let [n, dropped] = [0, 0];
      const take = (): void => {
        const next = waiting.find(({ kind }) => own.includes(kind)) ?? waiting[0];
        strictEqual(queue.take(), next?.item ?? null);
        waiting = waiting.filter((one) => one !== next);
      };
      for (const one of steps) {
        if ('kind' in one) {
          for (let times = 0; times < one.count; times++) {
            const item = itemOf(one.kind, ++n);
            queue.add(item);
            waiting.push({ kind: one.kind, item });
            const ticks = waiting.filter(({ kind }) => kind === 'tick');
            if (ticks.length <= most) continue;
            dropped++;
            waiting = waiting.filter((other) => other !== ticks[0]);
          }
        } else if ('takes' in one) for (let times = 0; times < one.takes; times++) take();
        else if (one.clears === 'all') {
          queue.clear();
          waiting = [];
        } else {
          queue.clearMarket();
          waiting = waiting.filter(({ kind }) => own.includes(kind));
        }
        deepStrictEqual([queue.depth, queue.droppedTicks], [waiting.length, dropped]);
      }
      while (waiting.length > 0) take();
      ok(queue.take() === null);
    });
    fc.assert(property, { numRuns: 100, seed: 15 });
  });
});
