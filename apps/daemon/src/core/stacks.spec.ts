import type { Fill } from '@libs/strategy';
import * as fc from 'fast-check';
import { effort } from '../../../../test/setup/effort';
import { chances, euro, fill, holding, options, quote, StackWorld, wanted } from '../testing/stack-world';
import { undisturbed, type Holdings } from './risk';
import type { StackRecord } from './stack';
import {
  next,
  stacksOf,
  waitingLayers,
  type Layer,
  type Moment,
  type StackEffect,
  type StackEvent,
  type Stacks,
} from './stacks';

const stack: StackRecord = {
  ...{ id: 's1', strategy: 'ema', stream: 'main', broker: 'demo', symbol: 'EURUSD', side: 'buy', volume: 0.1 },
  ...{ spacing: 0.001, slDistance: null, tpDistance: null, anchor: 1.1, expiresMs: 1_000 },
  ...{ waiting: [2, 3], tickets: [7], over: false },
};
const layer2: Layer = { stackId: 's1', layer: 2, stream: 'main' };
const moment = (ask: number, changes: Partial<Moment> = {}): Moment => {
  return { quote: quote(ask), marketMs: 0, circumstances: undisturbed, ...changes };
};
/** The state after events, and the effects of the last one. */
function after(
  events: readonly StackEvent[],
  { open = [stack], holdings = holding() }: { open?: readonly StackRecord[]; holdings?: Holdings } = {},
): { readonly stacks: Stacks; readonly effects: readonly StackEffect[] } {
  let step: { readonly stacks: Stacks; readonly effects: readonly StackEffect[] } = {
    stacks: stacksOf(open),
    effects: [],
  };
  for (const event of events) step = next(step.stacks, event, holdings);
  return step;
}
const typesOf = (effects: readonly StackEffect[]): string[] => effects.map(({ type }) => type);
const see = (ask: number): StackEvent => ({ type: 'quote', stream: 'main', quote: quote(ask) });
const turn = (ask: number, changes: Partial<Moment> = {}): StackEvent => {
  return { type: 'turn', layer: layer2, moment: moment(ask, changes) };
};

describe('the stacks of a strategy', () => {
  it('enter the first layer with levels of its own, and deny what cannot be a stack', () => {
    const open = (changes: object, moments: Partial<Moment> = {}, unfit: string | null = null): StackEffect[] => {
      const intent = { ...wanted, options: { ...options, ...changes } };
      const event = { type: 'wanted', intent, unfit, moment: moment(1.1, moments) } as const;
      return [...next(stacksOf([]), event, holding([])).effects];
    };
    expect(open({ slDistance: 0.002 })).toMatchObject([
      {
        type: 'enter',
        intent: { id: 's1', side: 'buy', options: { volume: 0.1, sl: 1.098 } },
        stack: { anchor: null },
      },
    ]);
    const denied = (reason: string): object[] => [{ type: 'deny', intentId: 's1', reason }];
    expect(open({ layers: 0 })).toEqual(denied('stack: layers must be an integer, 1 to 100'));
    expect(open({}, {}, 'netting')).toEqual(denied('netting'));
    expect(open({}, { circumstances: { ...undisturbed, stopping: true } })).toEqual(
      denied('the daemon is shutting down'),
    );
    // Without a quote, its layers could have no levels.
    expect(open({ slDistance: 0.002 }, { quote: null })).toEqual(denied('stream main has no quote'));
    const elsewhere = { ...wanted, stream: 'other' };
    expect(after([{ type: 'wanted', intent: elsewhere, unfit: null, moment: null }], { open: [] }).effects).toEqual(
      denied('no stream other'),
    );
  });

  it('enter a layer once, in its turn, however many quotes reach it', () => {
    expect(after([see(1.1011)]).effects).toEqual([{ type: 'queue', layer: layer2 }]);
    expect(after([see(1.1011), see(1.1012)]).effects).toEqual([]);
    const { stacks, effects } = after([see(1.1011), turn(1.1012)]);
    expect(effects).toMatchObject([{ type: 'enter', intent: { id: 's1/2' }, stack: { waiting: [3] } }]);
    expect(next(stacks, see(1.1013), holding()).effects).toEqual([]);
    expect(next(stacks, turn(1.1013), holding()).effects).toEqual([]);
  });

  it('keep a layer waiting if it is denied at its turn, or if the price has moved back', () => {
    const late = { circumstances: { ...undisturbed, staleSymbol: true } };
    for (const passed of [
      turn(1.1012, late),
      turn(1.1005),
      turn(1.1012, { quote: null }),
      turn(1.1012, { marketMs: 1_001 }),
    ]) {
      const { stacks, effects } = after([see(1.1011), passed]);
      expect(effects).toEqual([]);
      expect(next(stacks, see(1.1011), holding()).effects).toEqual([{ type: 'queue', layer: layer2 }]);
    }
  });

  it('wait again when the turn of a layer was dropped with the events of a strategy that failed', () => {
    expect(after([see(1.1011), { type: 'turns dropped' }, see(1.1011)]).effects).toEqual([
      { type: 'queue', layer: layer2 },
    ]);
  });

  it.each([
    ['another symbol', { ...euro, symbol: 'GBPUSD' }],
    ['another account', { ...euro, broker: 'other' }],
  ])('enter nothing at the prices of %s that their stream leads to by now, and end', (_what, stream) => {
    const holdings = holding([7], [stream]);
    expect(after([see(1.27)], { holdings }).effects).toEqual([]);
    const { stacks, effects } = after([{ type: 'account seen', marketMs: 0 }], { holdings });
    expect(effects).toEqual([
      {
        ...{ type: 'end', stack: { ...stack, waiting: [], over: true }, cancelled: [2, 3] },
        reason: 'stream main is no longer EURUSD on demo',
      },
    ]);
    expect(waitingLayers(stacks)).toEqual([]);
  });

  it('have their anchor with the booking of the first layer, and each ticket once', () => {
    const unfilled = { ...stack, anchor: null, tickets: [] };
    const first = { ...stack, anchor: 1.1, tickets: [7] };
    const filled = (...fills: readonly Fill[]): StackEvent => ({ type: 'filled', fills });
    expect(after([filled(fill)], { open: [unfilled] }).effects).toEqual([{ type: 'persist', stack: first }]);
    expect(after([filled(fill), filled({ ...fill, deal: 2, price: 1.2 })], { open: [unfilled] }).effects).toEqual([]);
    const layers = [2, 3].map((layer) => ({ ...fill, intentId: `s1/${layer}`, position: 7 + layer, price: 1.2 }));
    expect(after([filled(fill), filled(...layers)], { open: [unfilled] }).effects).toEqual([
      { type: 'persist', stack: { ...first, tickets: [7, 9, 10] } },
    ]);
    expect(after([filled({ ...fill, intentId: null, position: 20 })], { open: [unfilled] }).effects).toEqual([]);
  });

  it('end when they are flat, but not while the entry of a layer is in flight', () => {
    const seen: StackEvent = { type: 'account seen', marketMs: 0 };
    const flat = holding([]);
    const { stacks } = after([see(1.1011), turn(1.1012)]);
    expect(next(stacks, seen, flat).effects).toEqual([]);
    const done = next(stacks, { type: 'entered', layer: layer2 }, flat).stacks;
    expect(next(done, seen, flat).effects).toMatchObject([{ type: 'end', reason: 'the position is flat' }]);
    expect(typesOf(next(done, seen, holding()).effects)).toEqual([]);
  });

  it('end when the first layer was rejected, and not for the rejection of another layer', () => {
    const unfilled = { ...stack, anchor: null, tickets: [] };
    const reject = { intentId: 's1', kind: 'rejected', reason: 'no money', retcode: null } as const;
    expect(after([{ type: 'rejected', reject }], { open: [unfilled] }).effects).toMatchObject([
      { type: 'end', reason: 'its first layer was not filled: no money' },
    ]);
    expect(after([{ type: 'rejected', reject: { ...reject, intentId: 's1/2' } }]).effects).toEqual([]);
    expect(after([{ type: 'rejected', reject }]).effects).toEqual([]);
  });

  it('keep a layer waiting when its entry is denied before it is sent', () => {
    const reject = { intentId: 's1/2', kind: 'denied', reason: 'the state cannot be written', retcode: null } as const;
    const { stacks, effects } = after([see(1.1011), turn(1.1011), { type: 'rejected', reject }]);
    expect(stacks.open).toEqual([stack]);
    expect(effects).toEqual([{ type: 'persist', stack }]);
    const again = [see(1.1011), turn(1.1011), { type: 'rejected', reject }, see(1.1012), turn(1.1012)] as const;
    expect(after(again).effects).toMatchObject([{ type: 'enter', intent: { id: 's1/2' }, stack: { waiting: [3] } }]);
    // Another intent of the strategy, and a layer that was sent and rejected, do not wait again.
    expect(after([{ type: 'rejected', reject }]).effects).toEqual([]);
    const sent = [see(1.1011), turn(1.1011), { type: 'rejected', reject: { ...reject, kind: 'rejected' } }] as const;
    expect(after(sent).stacks.open).toMatchObject([{ waiting: [3] }]);
  });

  it('end at a halt, and at a restart where the first layer was never sent', () => {
    expect(after([{ type: 'halted', reason: 'halted: loss' }]).effects).toMatchObject([{ reason: 'halted: loss' }]);
    const unfilled = { ...stack, anchor: null, tickets: [] };
    expect(after([{ type: 'restarted', intents: ['s1'] }], { open: [unfilled] }).effects).toEqual([]);
    expect(after([{ type: 'restarted', intents: [] }]).effects).toEqual([]);
    expect(after([{ type: 'restarted', intents: [] }], { open: [unfilled] }).effects).toMatchObject([
      { type: 'end', reason: 'its first layer was never sent' },
    ]);
  });
});

describe('stacks under random events', () => {
  it('enter each layer at most once, at its price, in time, never against a denial, and lose nothing at a restart', () => {
    fc.assert(
      fc.property(fc.array(chances, { minLength: 20, maxLength: 120 }), (what) => {
        const world = new StackWorld();
        for (const chance of what) world.happens(chance);
      }),
      { numRuns: effort(300, 5_000) },
    );
  });
});
