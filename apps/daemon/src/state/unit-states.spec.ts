import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { blankRecord, type OwnedTicket } from '../core/records';
import { StateStore } from './state-store';
import { UnitStates } from './unit-states';

const ticketOf = (strategy: string, ticket: number): OwnedTicket => ({
  ...{ strategy, broker: 'demo', ticket, stream: 'eur', symbol: 'EURUSD', intentId: null },
  ...{ deals: [], volumeIn: '0', volumeOut: '0', closed: false },
});

describe('the states of the units of a host', () => {
  let states: UnitStates;
  let book: StateStore;
  const opened = (): StateStore => StateStore.open(mkdtempSync(join(tmpdir(), 'unit-states-')), new VirtualClock());
  const added = async (unit: string, store: StateStore): Promise<void> =>
    states.add(await states.prepare(unit, 1, store));
  beforeEach(async () => {
    states = new UnitStates(() => ['trend', 'book', 'book/a', 'elsewhere']);
    book = opened();
    await added('book', book);
    await added('trend', opened());
  });
  afterEach(() => states.close());

  it('keep the children of a portfolio with it, and everything else apart', async () => {
    await states.write({ strategy: blankRecord('book') });
    await states.write({ strategy: blankRecord('book/a'), tickets: [ticketOf('book/a', 7)] });
    await states.write({ tickets: [ticketOf('trend', 8)] });
    expect(book.strategyNames()).toEqual(['book', 'book/a']);
    expect([states.openTickets('book/a'), states.openTickets('trend')]).toMatchObject([
      [{ ticket: 7 }],
      [{ ticket: 8 }],
    ]);
    expect([states.ownerOf('demo', 7), states.ownerOf('demo', 8), states.ownerOf('demo', 9)]).toEqual([
      ...['book/a', 'trend', null],
    ]);
    expect([states.ticket('demo', 8)?.strategy, states.ticket('demo', 9)]).toEqual(['trend', null]);
    expect(states.dump()).toMatchObject({ strategies: [{ name: 'book' }, { name: 'book/a' }], unreadable: [] });
  });

  it('name the strategies of other hosts, and say that they are not here', () => {
    expect(states.strategyNames()).toEqual(['trend', 'book', 'book/a', 'elsewhere']);
    expect(() => states.strategy('elsewhere')).toThrow('strategy "elsewhere" does not run on this host');
    expect(() => states.recordsOf('elsewhere')).toThrow('does not run on this host');
  });

  it('of one lease of a unit take nothing once the unit has left, also if it has come back', async () => {
    const first = states.of('trend');
    await first.write({ tickets: [ticketOf('trend', 8)] });
    expect([first.openTickets('trend').length, first.ticket('demo', 8)?.ticket]).toEqual([1, 8]);
    await states.write({ tickets: [ticketOf('book', 7)] });
    // The ticket of another unit is known as that.
    expect(first.ticket('demo', 7)?.strategy).toBe('book');
    await states.remove('trend');
    await added('trend', opened());
    await expect(first.write({ strategy: blankRecord('trend') })).rejects.toThrow('closed');
    expect(states.strategy('trend')).toBeNull();
    expect(() => states.of('elsewhere')).toThrow('does not run on this host');
  });

  it('take no write of a unit that has left', async () => {
    await states.remove('trend');
    await expect(states.write({ strategy: blankRecord('trend') })).rejects.toThrow('trend does not run on this host');
    expect(() => states.openIntents('trend')).toThrow('does not run on this host');
  });
});
