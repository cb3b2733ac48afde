import fc from 'fast-check';
import { blankRecord, type OwnedTicket } from './records';
import { externalPositions, reactionTo, reactionToFillInto, type ExternalReaction } from './external-positions';
import { book, ledgerOf, ownedOf } from './ledger';

const broker = 'demo';
const ticketOf = (strategy: string, ticket: number): OwnedTicket => ({
  ...{ strategy, broker, ticket, stream: 'eur', symbol: 'EURUSD', intentId: null, deals: [] },
  ...{ volumeIn: '0', volumeOut: '0', closed: false },
});

describe('the positions that no strategy opened', () => {
  it('are each claimed by one strategy, regardless of what others own or owned and of the order of the claims', () => {
    const tickets = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 12 });
    const property = fc.property(tickets, tickets, fc.shuffledSubarray(['a', 'b', 'c']), (open, opened, order) => {
      // Some were opened by strategy a, others by one that is no longer deployed.
      const remembered = new Set(opened.slice(0, 4));
      const own = opened.slice(2).map((ticket) => ticketOf('a', ticket));
      const ledgers = new Map(
        ['a', 'b', 'c'].map((name) => [name, ledgerOf(blankRecord(name), name === 'a' ? own : [])]),
      );
      const isKnown = (ticket: number): boolean =>
        remembered.has(ticket) || [...ledgers.values()].some((ledger) => ownedOf(ledger, broker, ticket) !== null);
      const rows = open.map((identifier) => ({ identifier, symbol: 'EURUSD' }));
      for (const name of order) {
        const ledger = ledgers.get(name) ?? ledgerOf(blankRecord(name), []);
        const claims = externalPositions(rows, isKnown).map(({ ticket }) => ticketOf(name, ticket));
        ledgers.set(name, book(ledger, { type: 'claimed', tickets: claims }).ledger);
      }
      const owners = (ticket: number): number =>
        [...ledgers.values()].filter((ledger) => ownedOf(ledger, broker, ticket) !== null).length;
      for (const ticket of open) {
        const isOffered = order.length > 0 || own.some((owned) => owned.ticket === ticket);
        const isOfGone = remembered.has(ticket) && !own.some((owned) => owned.ticket === ticket);
        expect([ticket, owners(ticket)]).toEqual([ticket, isOffered && !isOfGone ? 1 : 0]);
      }
    });
    fc.assert(property, { numRuns: 500, seed: 15 });
  });
});

const positions = [
  { ticket: 5, symbol: 'EURUSD' },
  { ticket: 6, symbol: 'GBPUSD' },
];
const haltRecord = { kind: 'daily', reason: 'a loss', atMs: 0 } as const;
const owner = (onMismatch: 'halt' | 'adopt', isHalted = false) => ({
  spec: {
    ...{ name: 'ema', magic: 7, onMismatch },
    streams: [
      { alias: 'far', broker: 'live', symbol: 'EURUSD', timeframe: 'M1' },
      { alias: 'eur', broker, symbol: 'EURUSD', timeframe: 'M1' },
    ],
  },
  record: { halt: isHalted ? haltRecord : null },
});
const none: ExternalReaction = { type: 'none' };
const halted = { type: 'halt', reason: 'positions under magic 7 that the strategy did not open: 5, 6' } as const;

describe('positions under the magic of a strategy that it did not open', () => {
  it('halt it, once', () => {
    expect(reactionTo(positions, owner('halt'), broker, 0)).toEqual(halted);
    expect(reactionTo(positions, owner('halt', true), broker, 0)).toEqual(none);
    expect(reactionTo([], owner('halt'), broker, 0)).toEqual(none);
  });

  it('become its own with onMismatch: adopt, also while it is halted', () => {
    const tickets = [
      { ...ticketOf('ema', 5), stream: 'eur' },
      { ...ticketOf('ema', 6), stream: '', symbol: 'GBPUSD' },
    ];
    expect(reactionTo(positions, owner('adopt'), broker, 0)).toEqual({ type: 'adopt', tickets });
    expect(reactionTo(positions, owner('adopt', true), broker, 0)).toEqual({ type: 'adopt', tickets });
    expect(reactionTo([], owner('adopt'), broker, 0)).toEqual(none);
  });

  it.each(['halt', 'adopt'] as const)('do not concern it while its request may have opened them (%s)', (onMismatch) => {
    expect(reactionTo(positions, owner(onMismatch), broker, 1)).toEqual(none);
  });

  it.each(['halt', 'adopt'] as const)('do not concern it on a gateway without a stream of it (%s)', (onMismatch) => {
    expect(reactionTo(positions, owner(onMismatch), 'other', 0)).toEqual(none);
  });
});

describe('an order that fills into a position that its strategy did not open', () => {
  const reason = 'an order filled into position 5 on demo, which the strategy did not open';
  it('halts the strategy, once, and is a warning otherwise', () => {
    expect(reactionToFillInto(5, owner('halt'), broker)).toEqual({ type: 'halt', reason });
    expect(reactionToFillInto(5, owner('halt', true), broker)).toEqual({ type: 'warn', reason });
    expect(reactionToFillInto(5, owner('adopt'), broker)).toEqual({ type: 'warn', reason });
  });
});
