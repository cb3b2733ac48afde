import fc from 'fast-check';
import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { effort } from '../../../../test/setup/effort';
import { DeliveryRig } from './testing/delivery-rig';
import type { Behaviour } from './testing/recording-channel';
import { TradeIntake } from './trade-intake';

type Step =
  | { readonly kind: 'events'; readonly count: number }
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: 'receiver'; readonly which: 'one' | 'two'; readonly behaviour: Behaviour }
  | { readonly kind: 'crash'; readonly how: 'process' | 'power'; readonly afterMs: number }
  | { readonly kind: 'disk'; readonly fails: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('events' as const), count: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 20 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('receiver' as const),
      which: fc.constantFrom('one', 'two'),
      behaviour: fc.constantFrom<Behaviour>('takes', 'fails', 'refuses many', 'lost', 'hangs', 'throws'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('crash' as const),
      how: fc.constantFrom('process', 'power'),
      afterMs: fc.nat(6),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('disk' as const), fails: fc.boolean() }) },
);

async function take(rig: DeliveryRig, disk: SimulatedDisk, one: Step): Promise<void> {
  switch (one.kind) {
    case 'events':
      rig.append(one.count);
      break;
    case 'pass':
      await rig.pass(one.seconds * 1_000);
      break;
    case 'receiver':
      rig[one.which].behaviour = one.behaviour;
      break;
    case 'crash':
      void rig.pass(1_000);
      await rig.clock.advance(one.afterMs);
      rig.crash(one.how);
      await rig.pass(1_000);
      break;
    case 'disk':
      disk.setFailingSyncs(one.fails);
      break;
  }
}

async function start(random = () => 0.5, keep?: number): Promise<{ rig: DeliveryRig; disk: SimulatedDisk }> {
  const clock = new VirtualClock();
  const disk = new SimulatedDisk(clock, random);
  return { rig: await DeliveryRig.start(clock, disk, keep), disk };
}

/** Ids of all events of the log, in order. */
const logged = (rig: DeliveryRig): string[] => rig.log.after(999, 100_000).map(({ seq }) => `trade-1-${seq}`);

describe('the deliveries of trade events', () => {
  it('bring every event to every channel, in order, whatever fails', async () => {
    const random = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), random, async (steps, numbers) => {
        const { rig, disk } = await start(() => Number(numbers.next().value));
        for (const one of steps) await take(rig, disk, one);
        disk.setFailingSyncs(false);
        for (const channel of rig.channels) channel.behaviour = 'takes';
        await rig.pass(700_000);
        for (const channel of rig.channels) expect(channel.ids).toEqual(logged(rig));
        for (const pump of rig.pumps) expect(pump.report()).toMatchObject({ state: 'ok', waiting: 0, oldest_at: null });
      }),
      { numRuns: effort(12, 1_000) },
    );
  });

  it('repeat nothing while no answer is lost and the gateway is not killed', async () => {
    const { rig } = await start();
    for (const behaviour of ['takes', 'fails', 'refuses many', 'hangs', 'throws', 'takes'] as const) {
      rig.one.behaviour = behaviour;
      rig.append(25);
      await rig.pass(60_000);
    }
    await rig.pass(400_000);
    expect(rig.channels.map(({ taken }) => taken.length)).toEqual([150, 150]);
    expect(rig.one.ids).toEqual(logged(rig));
  });

  it('repeat what was taken before a crash under the same ids, and only that', async () => {
    const { rig } = await start();
    const { one: channel } = rig;
    channel.behaviour = 'lost';
    rig.append(1);
    await rig.pass(3_000);
    rig.crash('process');
    channel.behaviour = 'takes';
    rig.append(1);
    await rig.pass(30_000);
    const ids = channel.taken.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(2);
    expect([...new Set(ids)]).toEqual(logged(rig));
  });

  it('count nothing twice that was taken during the stop', async () => {
    const { rig } = await start();
    rig.one.behaviour = 'fails';
    rig.append(3);
    await rig.pass(3_000);
    rig.crash('process');
    rig.one.behaviour = 'takes';
    const [pump] = rig.pumps;
    pump?.wake();
    const stopped = pump?.stop();
    await rig.clock.advance(1_000);
    await stopped;
    expect(rig.one.ids).toEqual(logged(rig));
    expect(pump?.report()).toMatchObject({ waiting: 0, oldest_at: null });
  });

  it('of one channel go on while another one is down for a day', async () => {
    const { rig } = await start();
    rig.one.behaviour = 'fails';
    for (let count = 0; count < 50; count++) {
      rig.append(1);
      await rig.pass(1_000);
    }
    await rig.pass(2_000);
    expect(rig.two.ids).toEqual(logged(rig));
    expect(rig.pumps[0]?.report()).toMatchObject({ state: 'failing', waiting: 50, last_error: 'fails' });
    const before = rig.one.attempts;
    await rig.pass(3_600_000);
    expect(rig.one.attempts - before).toBeLessThan(25);
    rig.one.behaviour = 'takes';
    await rig.pass(301_000);
    expect(rig.one.ids).toEqual(logged(rig));
  });

  it('keep the queue of a channel short, and report events that the log no longer has', async () => {
    const { rig } = await start(() => 0.5, 1_500);
    rig.one.behaviour = 'fails';
    for (let count = 0; count < 4; count++) rig.append(1_000);
    await rig.pass(20_000);
    expect(rig.pumps[0]?.report().waiting).toBeLessThan(1_300);
    rig.one.behaviour = 'takes';
    await rig.pass(400_000);
    const texts = rig.one.taken.filter(({ type }) => type === 'events_missed').map(({ text }) => text);
    expect(texts).toEqual([expect.stringMatching(/^trade events \d+ to 3499 are no longer in the event log/)]);
    expect(rig.one.ids.slice(-1_500)).toEqual(logged(rig));
  });

  it('set a message aside that is refused for a day, over a crash, and go on with the next', async () => {
    const { rig } = await start();
    const { one: channel } = rig;
    channel.behaviour = 'refuses some';
    channel.poison.add('trade-1-1001');
    rig.append(4);
    await rig.pass(3_600_000 * 23);
    expect(channel.ids).toEqual(['trade-1-1000']);
    expect(rig.pumps[0]?.report()).toMatchObject({ state: 'failing', waiting: 3, set_aside: 0 });
    rig.crash('process');
    await rig.pass(3_600_000 * 4);
    expect(channel.ids).toEqual(['trade-1-1000', 'trade-1-1002', 'trade-1-1003']);
    expect(rig.two.ids).toEqual(logged(rig));
    expect(rig.pumps[0]?.report()).toMatchObject({ state: 'ok', waiting: 0, set_aside: 1, last_error: null });
    rig.crash('power');
    await rig.pass(10_000);
    expect(rig.store.asideOf('one')).toMatchObject([{ message: { id: 'trade-1-1001' }, reason: 'HTTP 400' }]);
    expect(rig.logged.join('\n')).toContain('a notification was refused for a day and was set aside');
    const dropping = rig.store.drop('one');
    await rig.pass(1_000);
    expect(await dropping).toBe(1);
    expect(rig.store.asideOf('one')).toEqual([]);
  });

  /** A rig whose channel one has set its messages aside: those numbered 1000 and 1001. */
  async function withTwoSetAside(): ReturnType<typeof start> {
    const started = await start();
    const { rig } = started;
    rig.one.behaviour = 'refuses some';
    rig.one.poison.add('trade-1-1000').add('trade-1-1001');
    rig.append(2);
    await rig.pass(3_600_000 * 27);
    expect(rig.pumps[0]?.report()).toMatchObject({ waiting: 0, set_aside: 2 });
    return started;
  }

  it('send what was set aside again when an operator asks for it, once, and over a crash', async () => {
    const { rig } = await withTwoSetAside();
    const both = ['trade-1-1000', 'trade-1-1001', 'trade-1-9'];
    const calls = Promise.all([rig.store.queueAgain('one', both), rig.store.queueAgain('one', both)]);
    await rig.pass(1_000);
    expect(await calls).toEqual([both.slice(0, 2), []]);
    expect(rig.pumps[0]?.report()).toMatchObject({ waiting: 2, set_aside: 0 });
    rig.crash('power');
    expect(rig.pumps[0]?.report()).toMatchObject({ waiting: 2, set_aside: 0 });
    rig.one.behaviour = 'takes';
    await rig.pass(10_000);
    expect(rig.one.taken.map(({ id }) => id)).toEqual(both.slice(0, 2));
    expect(rig.pumps[0]?.report()).toMatchObject({ state: 'ok', waiting: 0, set_aside: 0 });
  });

  it('set aside again at its first refusal what an operator sends again, over a crash, and hold nothing else back', async () => {
    const { rig } = await withTwoSetAside();
    const again = rig.store.queueAgain('one', ['trade-1-1000', 'trade-1-1001']);
    await rig.clock.advance(10);
    expect(await again).toHaveLength(2);
    rig.crash('power');
    rig.append(3);
    const before = rig.one.attempts;
    await rig.pass(10_000);
    expect(rig.pumps[0]?.report()).toMatchObject({ state: 'ok', waiting: 0, set_aside: 2 });
    expect(rig.one.ids).toEqual(logged(rig).slice(2));
    // All together, then one by one until the first is taken, then the rest.
    expect(rig.one.attempts - before).toBe(5);
    expect(rig.logged.at(-2)).toContain('a notification that was sent again was refused and was set aside again');
    // What was never sent again still has a day.
    rig.one.poison.add('trade-1-1005');
    rig.append(1);
    await rig.pass(3_600_000);
    expect(rig.pumps[0]?.report()).toMatchObject({ waiting: 1, set_aside: 2 });
  });

  it('drop what was set aside, only what an operator names and only of that channel', async () => {
    const { rig } = await withTwoSetAside();
    const calls = Promise.all([
      rig.store.dropAside('two', ['trade-1-1000']),
      rig.store.dropAside('one', ['trade-1-1000', 'trade-1-9']),
    ]);
    await rig.pass(1_000);
    expect(await calls).toEqual([[], ['trade-1-1000']]);
    rig.crash('power');
    await rig.pass(10_000);
    expect(rig.store.asideOf('one')).toMatchObject([{ message: { id: 'trade-1-1001' } }]);
    expect(rig.one.taken).toEqual([]);
  });

  it('leave what was set aside while the disk fails', async () => {
    const { rig, disk } = await withTwoSetAside();
    disk.setFailingSyncs(true);
    const calls = Promise.allSettled([
      rig.store.queueAgain('one', ['trade-1-1000']),
      rig.store.dropAside('one', ['trade-1-1001']),
    ]);
    await rig.pass(1_000);
    expect(await calls).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    disk.setFailingSyncs(false);
    await rig.pass(10_000);
    expect(rig.pumps[0]?.report()).toMatchObject({ waiting: 0, set_aside: 2 });
  });

  it('set nothing aside at the first refusal of an old message: its receiver was only down for long', async () => {
    const { rig } = await start();
    rig.one.behaviour = 'fails';
    rig.append(2);
    await rig.pass(3_600_000 * 30);
    rig.one.behaviour = 'refuses some';
    rig.one.poison.add('trade-1-1000');
    await rig.pass(3_600_000);
    expect(rig.pumps[0]?.report()).toMatchObject({ waiting: 2, set_aside: 0 });
    await rig.pass(3_600_000 * 2);
    expect(rig.pumps[0]?.report()).toMatchObject({ waiting: 0, set_aside: 1 });
    expect(rig.one.ids).toEqual(['trade-1-1001']);
  });

  it('begin for a new channel with the next event, and for one that is known where it was', async () => {
    const { rig } = await start();
    rig.append(5);
    await rig.pass(10_000);
    const digits = { of: () => 5, money: 2, learn: () => Promise.resolve() };
    const intake = new TradeIntake(rig.log, rig.store, [], ['one', 'new'], () => '', digits);
    const begun = intake.begin();
    await rig.pass(1_000);
    await begun;
    expect([rig.store.cursor('new'), rig.log.lastSeq]).toEqual([1_004, 1_004]);
    rig.append(1);
    await rig.pass(5_000);
    const again = intake.begin();
    await rig.pass(1_000);
    await again;
    expect([rig.store.cursor('new'), rig.store.cursor('one')]).toEqual([1_004, 1_005]);
  });

  it('set nothing aside while a receiver fails, and does not refuse', async () => {
    const { rig } = await start();
    rig.one.behaviour = 'fails';
    rig.append(2);
    await rig.pass(3_600_000 * 30);
    expect(rig.pumps[0]?.report()).toMatchObject({ waiting: 2, set_aside: 0 });
    rig.one.behaviour = 'takes';
    await rig.pass(301_000);
    expect(rig.one.ids).toEqual(logged(rig));
  });
});
