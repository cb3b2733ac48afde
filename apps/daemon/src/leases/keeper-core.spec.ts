import fc from 'fast-check';
import { KeeperWorld, type StatementFate } from '../testing/keeper-world';
import { stepKeeper } from './keeper-core';
import { blankKeeper, isLeaving, runnableLease } from './keeper-state';

const units = ['a', 'b', 'c', 'd'];

/** Something that happens, with its name for a failure. */
type Happening = readonly [name: string, happen: (world: KeeperWorld) => void];

const unit = fc.constantFrom(...units);
const fate = fc.constantFrom<StatementFate>(
  'answered',
  'answered',
  'answered',
  'carried out',
  'answer lost',
  'request lost',
);
const leaseAt = (world: KeeperWorld, index: number): number | null =>
  [...world.state.holdings.values()].at(index)?.lease.id ?? null;
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: fate.map((one): Happening => [one, (world) => world.befall(one)]) },
  { weight: 3, arbitrary: fc.constant<Happening>(['round', (world) => void world.round()]) },
  fc.nat(6_000).map((ms): Happening => [`pass ${ms}`, (world) => void (world.nowMs += ms)]),
  fc.boolean().map((succeeds): Happening => [`prepare ${succeeds}`, (world) => world.prepare(succeeds)]),
  fc.constant<Happening>(['close', (world) => world.close()]),
  unit.map((name): Happening => [`steal ${name}`, (world) => world.steal(name)]),
  unit.map((name): Happening => [`hand over ${name}`, (world) => world.handle({ kind: 'handed over', unit: name })]),
  unit.map((name): Happening => {
    return [`give up ${name}`, (world) => world.handle({ kind: 'given up', unit: name, problem: 'no file' })];
  }),
  fc.nat(2).map((index): Happening => {
    const end = (world: KeeperWorld): void => {
      const lease = leaseAt(world, index);
      if (lease !== null) world.handle({ kind: 'end', lease, reason: 'fenced out' });
    };
    return [`fence out ${index}`, end];
  }),
  fc.nat(2).map((index): Happening => {
    const stopped = (world: KeeperWorld): void => {
      const lease = leaseAt(world, index);
      if (lease !== null) world.ask((ask) => ({ kind: 'stopped', lease, ask }));
    };
    return [`stopped ${index}`, stopped];
  }),
  fc.nat(50).map((stored): Happening => {
    const raise = (world: KeeperWorld): void => {
      const [begun] = world.preparing;
      if (begun) world.ask((ask) => ({ kind: 'raise', ...begun, stored, ask }));
    };
    return [`raise above ${stored}`, raise];
  }),
  fc.boolean().map((drains): Happening => [`drain host ${drains}`, (world) => void (world.drains = drains)]),
  fc.nat(2).map((others): Happening => [`${others} others`, (world) => void (world.others = others)]),
);
const happenings = fc.array(happening, { minLength: 20, maxLength: 120 });

function lived(all: readonly Happening[]): KeeperWorld {
  const world = new KeeperWorld(units);
  for (const [, happen] of all) happen(world);
  return world;
}

/** A host that runs these units. */
function running(...names: readonly string[]): { readonly world: KeeperWorld; readonly lease: number } {
  const world = new KeeperWorld(names);
  for (let round = 0; round < 2; round++) {
    world.round();
    world.settle();
  }
  return { world, lease: leaseAt(world, 0) ?? 0 };
}

describe('the core of the leases', () => {
  it('sends one statement at a time, renews what it holds, and runs only what is prepared under a lease', () => {
    const property = fc.property(happenings, (all) => {
      const world = lived(all);
      world.settle();
      expect(world.violations).toEqual([]);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  it('answers every caller once, when the database answers again', () => {
    const property = fc.property(happenings, (all) => {
      const world = lived(all);
      world.settle();
      expect(world.replies.size).toBe(world.asks);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('leaves no lease behind at its end, wherever it was', () => {
    const property = fc.property(happenings, fc.boolean(), (all, drains) => {
      const world = lived(all);
      if (drains) world.handle({ kind: 'drain' });
      const held = [...world.state.holdings.values()].map(({ lease }) => lease);
      const ask = world.ask((stop) => ({ kind: 'stop', ask: stop }));
      world.settle();
      expect([world.replies.get(ask), world.state.holdings.size, world.violations]).toEqual([null, 0, []]);
      // Those that it knew; one that was taken by a statement without an answer expires.
      for (const { fence } of held) {
        const row = world.rows.get(fence.name);
        expect(row?.holder === 'here' && row.token === fence.token).toBe(false);
      }
      const sent = world.effects.length;
      world.round();
      world.settle();
      expect(world.effects.slice(sent).filter(({ kind }) => kind === 'send')).toEqual([]);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('decides the same for the same events, also with a state that was copied', () => {
    const property = fc.property(happenings, (all) => {
      const { events, effects, settings } = lived(all);
      let state = blankKeeper;
      const again = events.flatMap(([event, nowMs]) => {
        const step = stepKeeper(structuredClone(state), event, nowMs, settings);
        state = step.state;
        return step.effects;
      });
      expect(again).toEqual(effects);
    });
    fc.assert(property, { numRuns: 100 });
  });

  it('takes everything and keeps it, once nothing goes wrong', () => {
    const property = fc.property(happenings, (all) => {
      const world = lived(all);
      Object.assign(world, { drains: false, others: 0 });
      for (let round = 0; round < 30; round++) {
        world.settle();
        world.nowMs += 2_000;
        for (const { lease } of world.state.holdings.values()) {
          if (lease.endReason !== null) world.ask((ask) => ({ kind: 'stopped', lease: lease.id, ask }));
          else if (lease.leavingReason !== null) world.handle({ kind: 'handed over', unit: lease.fence.name });
        }
        world.round();
      }
      world.settle();
      expect([...world.state.holdings.values()].filter(({ isPrepared }) => isPrepared)).toHaveLength(3);
    });
    fc.assert(property, { numRuns: 200 });
  });

  it('runs nothing after a round that another host has taken', () => {
    const property = fc.property(happenings, unit, (all, stolen) => {
      const world = lived(all);
      world.settle();
      world.steal(stolen);
      world.round();
      world.settle();
      const row = world.rows.get(stolen);
      const lease = runnableLease(world.state, stolen);
      expect(lease === null || row === undefined || row.token === lease.fence.token).toBe(true);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('has another round follow a call that comes during one', () => {
    const world = new KeeperWorld(units);
    world.round();
    world.round();
    world.round();
    world.befall('answered');
    expect([world.replies.size, world.request?.kind]).toEqual([0, 'renew']);
    world.settle();
    expect([world.replies.size, world.state.rounds]).toEqual([3, 2]);
  });

  it('does not take a unit that has not stopped here, also once its lease has expired', () => {
    const { world, lease } = running('a');
    world.handle({ kind: 'end', lease, reason: 'fenced out' });
    world.nowMs += 60_000;
    world.round();
    world.settle();
    expect([runnableLease(world.state, 'a'), world.rows.get('a')?.token]).toEqual([null, 1]);
    world.ask((ask) => ({ kind: 'stopped', lease, ask }));
    world.settle();
    world.round();
    world.settle();
    expect(runnableLease(world.state, 'a')?.fence.token).toBe(2);
  });

  it('gives one unit after the other, and counts none of them as lost', () => {
    const { world } = running('a', 'b');
    Object.assign(world, { drains: true, others: 1 });
    const leaving = (): string[] =>
      [...world.state.holdings.values()].filter(({ lease }) => isLeaving(lease)).map(({ lease }) => lease.fence.name);
    world.round();
    world.settle();
    world.round();
    world.settle();
    const given = world.effects.filter((effect) => effect.kind === 'log' && effect.text.includes('is given to'));
    expect([leaving(), given.length]).toEqual([['a'], 1]);
    world.handle({ kind: 'handed over', unit: 'a' });
    expect([leaving(), world.state.counts]).toEqual([[], { taken: 2, lost: 0, given: 1 }]);
  });

  it('renews its leases before the next statement of a round when the database is slow', () => {
    const world = new KeeperWorld(units);
    const sent: string[] = [];
    for (let round = 0; round < 3; round++) {
      world.round();
      for (; world.request; world.befall('answered')) {
        sent.push(world.request.kind);
        world.nowMs += 2_500;
      }
    }
    expect(sent.slice(0, 8)).toEqual(['renew', 'renew', 'hosts', 'renew', 'open', 'renew', 'announce', 'renew']);
    expect(sent[8]).toBe('take');
  });

  it('releases a lease under the token that it was raised to while it ended', () => {
    const world = new KeeperWorld(['a']);
    world.round();
    world.settle();
    world.round();
    while (world.preparing.length === 0) world.befall('answered');
    world.round();
    while (world.request) world.befall('answered');
    const [begun] = world.preparing;
    if (!begun) throw new Error('nothing is prepared');
    const raised = world.ask((ask) => ({ kind: 'raise', ...begun, stored: 41, ask }));
    world.handle({ kind: 'end', lease: begun.lease, reason: 'fenced out' });
    world.settle();
    expect([world.replies.get(raised), world.rows.get('a')]).toEqual([
      'the lease of a is lost',
      { holder: null, token: 42, untilMs: -1 },
    ]);
  });

  it('sends no more than the statement under way when it takes no more units', () => {
    const world = new KeeperWorld(units);
    world.round();
    world.settle();
    world.round();
    while (world.request?.kind !== 'open') world.befall('answered');
    world.handle({ kind: 'drain' });
    world.befall('answered');
    expect([world.request, world.state.holdings.size]).toEqual([null, 0]);
    world.round();
    expect(world.request).toEqual({ kind: 'renew', leases: [] });
  });
});
