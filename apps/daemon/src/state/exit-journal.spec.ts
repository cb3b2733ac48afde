import { SystemClock, VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { SimulatedPostgres } from '@libs/simulated-postgres';
import { pino } from 'pino';
import { blankRecord, type IntentRecord } from '../core/records';
import { ExitJournal } from './exit-journal';
import { exitIntent as intent, startMs, StateHost as Host } from '../testing/state-host';

describe('an exit that the database did not take', () => {
  let first: Host;
  let second: Host;
  beforeEach(async () => {
    const clock = new VirtualClock(startMs);
    const server = new SimulatedPostgres(clock);
    first = new Host('first', server, clock);
    second = new Host('second', server, clock);
    await first.take();
    await first.states.write({ strategy: blankRecord('trend') });
  });
  const refused = async (host: Host, ...intents: IntentRecord[]): Promise<void> => {
    host.isCut = true;
    await expect(host.write({ intents })).rejects.toThrow('no connection');
    host.isCut = false;
  };

  it('is written with the next change, and an entry is not', async () => {
    await refused(first, intent('exit'), intent('entry', { isEntry: true }));
    expect(first.open).toEqual([]);
    await first.write({ intents: [intent('next')] });
    expect(first.open.sort()).toEqual(['exit', 'next']);
  });

  it('is written once: a second merge does not replace its outcome', async () => {
    await refused(first, intent('exit'));
    await first.write({ intents: [intent('exit', { state: 'done', outcome: 'filled' })] });
    await refused(first, intent('exit'));
    const again = first.killed();
    await again.take();
    expect(again.open).toEqual([]);
    expect(again.states.recordsOf('trend').intents).toMatchObject([{ key: 'exit', state: 'done' }]);
  });

  it('is kept by a host that is killed, and merged when this host takes the unit again after another one', async () => {
    await refused(first, intent('exit'));
    const back = first.killed();
    await second.take();
    expect(second.open).toEqual([]);
    await second.write({ intents: [intent('of the second')] });
    await back.take();
    expect(back.open.sort()).toEqual(['exit', 'of the second']);
    const again = back.killed();
    await again.take();
    expect(again.open.sort()).toEqual(['exit', 'of the second']);
  });

  it('is marked when it is merged under a later lease', async () => {
    await refused(first, intent('exit'));
    await first.write({ intents: [intent('next')] });
    const marks = (host: Host): unknown[] =>
      host.states.openIntents('trend').map(({ key, isOfEarlierLease }) => [key, isOfEarlierLease ?? false]);
    expect(marks(first)).toEqual([
      ['exit', false],
      ['next', false],
    ]);
    await refused(first, intent('last'));
    const back = first.killed();
    await back.take();
    expect(marks(back)).toEqual([
      ['exit', false],
      ['last', true],
      ['next', false],
    ]);
  });

  const statesOf = (host: Host): unknown[] =>
    host.states
      .recordsOf('trend')
      .intents.map(({ key, state, isOfEarlierLease }) => [...[key, state], isOfEarlierLease ?? false]);

  it('is kept with its outcome, and with its retry', async () => {
    await refused(first, intent('exit'));
    await refused(first, intent('exit', { state: 'rejected', outcome: 'requote' }), intent('exit~1'));
    await refused(first, intent('exit~1', { state: 'done', outcome: 'executed' }));
    const back = first.killed();
    await back.take();
    expect(back.open).toEqual([]);
    expect(statesOf(back)).toEqual([
      ['exit', 'rejected', true],
      ['exit~1', 'done', true],
    ]);
  });

  it('has the outcome that was kept under the same lease', async () => {
    await first.write({ intents: [intent('exit')] });
    await refused(first, intent('exit', { state: 'done', outcome: 'executed' }));
    await first.states.write({ strategy: blankRecord('trend') });
    expect(statesOf(first)).toEqual([['exit', 'done', false]]);
  });

  it('stays open if the state has it open after an earlier lease: another host may have sent it', async () => {
    await first.write({ intents: [intent('exit')] });
    await refused(first, intent('exit', { state: 'rejected', outcome: 'fenced out' }));
    await second.take();
    expect(second.open).toEqual(['exit']);
    const back = first.killed();
    await back.take();
    expect(statesOf(back)).toEqual([['exit', 'open', true]]);
  });

  it('stays open if it is a new expiration: the ticket has to be changed with its outcome', async () => {
    const call = { method: 'PUT', path: '/orders/7', body: { clear_expiration: true } } as const;
    await refused(first, intent('exit', { call }));
    await refused(first, intent('exit', { call, state: 'done', outcome: 'placed' }));
    const back = first.killed();
    await back.take();
    expect(statesOf(back)).toEqual([['exit', 'open', true]]);
  });

  it('is merged before a later write under the same lease, by whatever part of the daemon', async () => {
    await refused(first, intent('exit'));
    await first.states.write({ strategy: blankRecord('trend') });
    expect(first.open).toEqual(['exit']);
  });

  it('is counted while it is kept, and logged when it is kept and when it is merged', async () => {
    await refused(first, intent('one'), intent('two'), intent('entry', { isEntry: true }));
    expect(first.states.keptExits).toBe(2);
    await first.states.write({ strategy: blankRecord('trend') });
    expect(first.states.keptExits).toBe(0);
    expect(first.log).toEqual([
      ['exits that the database did not take are kept on this host', ['one', 'two']],
      ['exits that were kept on this host are written to the database', ['one', 'two']],
    ]);
  });

  it('is logged again with its outcome, not with every later write that fails', async () => {
    await refused(first, intent('exit'));
    await refused(first, intent('exit'));
    await refused(first, intent('exit'), intent('next'));
    await refused(first, intent('exit', { state: 'done' }));
    expect(first.log.map(([, keys]) => keys)).toEqual([['exit'], ['next'], ['exit']]);
  });

  it('stops no write of a unit that runs if the record of its request cannot be read; the unit does not start with it', async () => {
    await first.write({ intents: [intent('damaged', { createdAtMs: 'never' as never })] });
    await refused(first, intent('damaged', { state: 'done', outcome: 'placed' }), intent('sound'));
    await first.states.write({ strategy: blankRecord('trend') });
    expect(first.states.keptExits).toBe(1);
    expect(first.log.at(-1)).toEqual(['exits that were kept on this host are written to the database', ['sound']]);
    await expect(first.killed().take()).rejects.toThrow('intents-by-strategy ["trend","open","damaged"]');
  });

  it('stops no write of a unit that runs if it cannot be read; the unit does not start with it', async () => {
    await refused(first, intent('damaged', { createdAtMs: 'never' as never }), intent('sound'));
    await first.states.write({ strategy: blankRecord('trend') });
    await first.write({ intents: [intent('next')] });
    expect([first.open.sort(), first.states.keptExits]).toEqual([['next', 'sound'], 1]);
    expect(first.log.filter(([text]) => text === 'an exit that is kept on this host cannot be merged')).toHaveLength(1);
    const back = first.killed();
    await expect(back.take()).rejects.toThrow(
      /exits \["trend","damaged"\] intent createdAtMs is .* without the exits in \/state\/exits.lmdb, stop the daemon and move that/,
    );
    expect(back.states.keptExits).toBe(1);
  });

  it('does not come back when the state may have removed it', async () => {
    const old = startMs - 31 * 86_400_000;
    await refused(first, intent('old', { createdAtMs: old }), intent('new'));
    await first.states.write({ strategy: blankRecord('trend') });
    expect([first.open, first.states.keptExits]).toEqual([['new'], 0]);
    expect(first.log).toContainEqual(['exits that were kept on this host are dropped: they are too old', ['old']]);
  });

  it('stays kept with the outcome that it got while it was merged', async () => {
    const { stores } = new SimulatedDisk(new SystemClock(), () => 0.5).view;
    const journal = ExitJournal.open('/state', {
      ...{ stores, clock: new VirtualClock(startMs), logger: pino({ level: 'silent' }), keepDays: 30 },
    });
    await journal.keep('trend', 1, { intents: [intent('exit')] });
    const merging = journal.of('trend');
    await journal.keep('trend', 1, { intents: [intent('exit', { state: 'rejected' })] });
    await journal.merged('trend', merging);
    expect(journal.of('trend')).toMatchObject([{ intent: { state: 'rejected' } }]);
  });

  it('stays kept when the unit cannot be prepared', async () => {
    await refused(first, intent('exit'));
    const back = first.killed();
    const held = await back.hold();
    await second.take();
    await expect(back.prepare(held)).rejects.toThrow('was taken by another holder');
    await back.take();
    expect(back.open).toEqual(['exit']);
  });

  it('is kept by a host that was replaced: it is sent, and the fence may not be raised yet', async () => {
    await second.take();
    await expect(first.write({ intents: [intent('exit')] })).rejects.toThrow('was taken by another holder');
    const back = first.killed();
    await back.take();
    expect(statesOf(back)).toEqual([['exit', 'open', true]]);
  });

  it('fails if the disk of the host cannot be written either', async () => {
    first.disk.setReadOnly(true);
    first.isCut = true;
    await expect(first.write({ intents: [intent('exit')] })).rejects.toThrow(
      /no connection; the exit could not be written on this host either: Read-only/,
    );
    first.isCut = false;
    first.disk.setReadOnly(false);
    await first.write({ intents: [intent('next')] });
    expect(first.open).toEqual(['next']);
  });
});
