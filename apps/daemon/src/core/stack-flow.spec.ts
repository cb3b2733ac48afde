import type { CoreEventBody } from './core-event';
import { undisturbed } from './risk';
import { CoreRig, deal, kinds } from './testing/core-rig';
import { written, asked, executed, refused, found, invalidStops, awaitedOf, doneWith } from './testing/order-events';

describe('a stack', () => {
  const options = { direction: 'buy', layers: 2, spacing: 0.001, volume: 0.1 } as const;
  const intent = { id: 's1', action: 'stack', stream: 'eur', options } as const;
  const quote = { timeMs: 0, bid: 1.0999, ask: 1.1 };
  const moment = { quote, marketMs: 0, circumstances: undisturbed };
  const wanted = (of: Partial<typeof moment> = {}): CoreEventBody => ({
    ...{ type: 'layer', key: 'k1', event: { type: 'wanted', intent, unfit: null, moment: { ...moment, ...of } } },
  });

  it('is on disk together with the entry of its first layer', () => {
    const rig = new CoreRig([]);
    const [persist, ...others] = rig.does(wanted());
    expect(others).toEqual([]);
    expect(persist).toMatchObject({ type: 'persist', key: 'k1' });
    expect(persist).toHaveProperty('change', {
      stacks: [expect.objectContaining({ id: 's1', waiting: [2], over: false })],
      intents: [expect.objectContaining({ key: 'k1', intentId: 's1', isEntry: true })],
    });
  });

  it('is denied with how late its bar was', () => {
    expect(new CoreRig([]).does(wanted({ circumstances: { ...undisturbed, staleBarMs: 40 } }))).toMatchObject([
      { type: 'denied', reject: { intentId: 's1', reason: 'stale_bar' }, staleBarMs: 40 },
    ]);
    const event = { type: 'wanted', intent, unfit: null, moment: null } as const;
    expect(new CoreRig([]).does({ type: 'layer', key: 'k1', event })).toMatchObject([
      { type: 'denied', reject: { reason: 'no stream eur' }, staleBarMs: null },
    ]);
  });

  it('enters its next layer in the turn of that, once its price is reached', () => {
    const rig = new CoreRig([]);
    rig.does(wanted());
    rig.does(written(1));
    const { n } = doneWith(rig, executed(), found(9));
    rig.does(written(n));
    rig.does(asked({ type: 'seen' }));
    const fill = deal({ ticket: 300, order: 9, position_id: 9 });
    const booked = rig.does({ type: 'deals', broker: 'demo', ticket: 9, deals: [fill], follows: null });
    expect(booked[0]).toMatchObject({ change: { tickets: [{ ticket: 9 }], stacks: [{ id: 's1', anchor: 1.1 }] } });
    const layer = { stackId: 's1', layer: 2, stream: 'eur' };
    const reached = { timeMs: 1, bid: 1.101, ask: 1.1011 };
    expect(rig.does({ type: 'stack', event: { type: 'quote', stream: 'eur', quote: reached } })).toEqual([
      { type: 'queue', layer },
    ]);
    const event = { type: 'turn', layer, moment: { ...moment, quote: reached } } as const;
    const [entered] = rig.does({ type: 'layer', key: 'k2', event });
    expect(entered).toMatchObject({
      ...{ type: 'persist', key: 'k2' },
      change: { stacks: [{ id: 's1', waiting: [] }], intents: [{ key: 'k2', intentId: 's1/2' }] },
    });
    // Nothing was sent: it waits for its price again.
    const undone = rig.does(written(awaitedOf(entered ? [entered] : []).n, false));
    expect(undone).toMatchObject([
      { type: 'denied', reject: { intentId: 's1/2' } },
      { type: 'persist', change: { stacks: [{ id: 's1', waiting: [2] }] }, key: null },
    ]);
  });

  it('ends when its strategy is halted, which is reported and stored', () => {
    const rig = new CoreRig([]);
    rig.does(wanted());
    const effects = rig.does({ type: 'halt', kind: 'daily', reason: 'enough' });
    expect(effects.slice(2)).toMatchObject([
      { type: 'stack ended', ended: { stack: { id: 's1', over: true }, cancelled: [2], reason: 'halted: enough' } },
      { type: 'persist', change: { stacks: [{ id: 's1', over: true, waiting: [] }] }, key: null },
    ]);
    expect(effects[2]).not.toHaveProperty('ended.type');
    expect(effects).toHaveLength(4);
    expect(rig.core.state.stacks.open).toEqual([]);
  });

  it('ends when its first layer is refused', () => {
    const rig = new CoreRig([]);
    rig.does(wanted());
    rig.does(written(1));
    rig.does(written(awaitedOf(rig.does(refused(invalidStops))).n));
    expect(rig.does(asked({ type: 'seen' }))).toMatchObject([
      { type: 'notice' },
      { type: 'stack ended', ended: { reason: 'its first layer was not filled: broker_rejected: no' } },
      { type: 'persist' },
    ]);
  });

  it('ends without its first layer where the disk refuses that', () => {
    const rig = new CoreRig([]);
    rig.does(wanted());
    expect(kinds(rig.does(written(1, false)))).toEqual(['denied', 'stack ended', 'persist']);
  });
});
