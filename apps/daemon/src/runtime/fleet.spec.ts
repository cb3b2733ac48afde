import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateStore } from '../state/state-store';
import { UnitState } from '../state/unit-states';
import { FleetRig } from '../testing/fleet-rig';

describe('the strategies of a unit that has left this host', () => {
  it('write nothing into the state that the unit has under its next lease', async () => {
    const rig = await FleetRig.start({ gateways: {}, children: { a: [] }, isLeased: true });
    const [child, portfolio] = [rig.child('a'), rig.portfolio];
    await child.account.halt('persistent', 'in time');
    expect(rig.store.strategy('book/a')?.halt?.reason).toBe('in time');
    // The unit leaves, and is taken again, while a request of it is still in flight.
    await rig.states.remove('book');
    const next = StateStore.open(mkdtempSync(join(tmpdir(), 'next-lease-')));
    rig.states.add(new UnitState({ unit: 'book', token: 8, store: next, exits: null }));
    await child.account.halt('persistent', 'late');
    await portfolio.halt('persistent', 'late');
    expect(next.dump()).toMatchObject({ strategies: [], tickets: [], intents: [] });
    expect([child.trading.persistence.lastError, portfolio.persistence.lastError]).toEqual([
      expect.stringContaining('closed'),
      expect.stringContaining('closed'),
    ]);
    await rig.stop();
    await next.close();
  });
});
