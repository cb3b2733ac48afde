import { fileOf, MemoryFleet, type MemoryHost } from '../testing/memory-fleet';
import { exitIntent, StateHost } from '../testing/state-host';

const trend = { name: 'trend', magic: 1 };
const mean = { name: 'mean', magic: 2 };

describe('the removal of a strategy whose request has no outcome', () => {
  let fleet: MemoryFleet;
  let host: MemoryHost;

  beforeEach(async () => {
    fleet = new MemoryFleet();
    const before = new StateHost('before', fleet.server, fleet.clock);
    await fleet.inTime(before.take());
    await before.write({ intents: [exitIntent('k', { isOfEarlierLease: true, journalId: 'j' })] });
    await fleet.clock.advance(1_000);
    host = await fleet.start('one', fileOf(trend));
  });
  afterEach(() => fleet.end());

  const strategies = (): readonly string[] => host.daemon.strategies.map(({ spec }) => spec.name);
  const reload = async (...next: readonly (typeof trend)[]): Promise<void> => {
    host.file = fileOf(...next);
    await fleet.inTime(host.daemon.reload());
  };

  it('is completed without another reload once the outcome is known, and its lease is given back', async () => {
    await reload(mean);
    const postponed = {
      outcome: 'partial',
      removed: [],
      problems: ['trend: the outcome of a request is not known yet'],
    };
    expect(host.daemon.configuration.lastReload).toMatchObject(postponed);
    await fleet.clock.advance(120_000);
    expect(host.daemon.configuration.lastReload).toMatchObject(postponed);
    expect([strategies(), fleet.isHeld('trend')]).toEqual([expect.arrayContaining(['trend', 'mean']), true]);
    fleet.voidsKeys = true;
    await fleet.clock.advance(120_000);
    expect(host.daemon.configuration.lastReload).toMatchObject({
      outcome: 'applied',
      removed: ['trend'],
      problems: [],
    });
    expect([strategies(), fleet.isHeld('trend')]).toEqual([['mean'], false]);
  });

  it('frees its magic number for the strategy that waits for it', async () => {
    await reload(mean, { name: 'next', magic: 1 });
    await fleet.clock.advance(30_000);
    expect(strategies()).not.toContain('next');
    fleet.voidsKeys = true;
    await fleet.clock.advance(120_000);
    expect(strategies()).toEqual(['mean', 'next']);
  });

  it('does not stop the events of the strategy again before that', async () => {
    await reload(mean);
    const requestsIn = async (ms: number): Promise<number> => {
      const before = fleet.requests;
      await fleet.clock.advance(ms);
      return fleet.requests - before;
    };
    // An attempt reads the account ten times a second.
    const usual = await requestsIn(25_000);
    expect(await requestsIn(25_000)).toBeLessThan(1.5 * usual);
  });

  it('ends with a reload that has the strategy again', async () => {
    await reload(mean);
    await reload(mean, trend);
    fleet.voidsKeys = true;
    await fleet.clock.advance(120_000);
    expect(strategies()).toEqual(['mean', 'trend']);
    expect(host.daemon.configuration.lastReload).toMatchObject({ outcome: 'applied', removed: [] });
  });
});
