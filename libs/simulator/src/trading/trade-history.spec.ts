import type { HistoryQuery } from '@libs/terminal-client';
import fc from 'fast-check';
import type { RowForm } from './packed-rows';
import { TradeHistory } from './trade-history';

interface Row {
  readonly order: number;
  readonly position_id: number;
  readonly time: number;
}

const form: RowForm<Row> = {
  fields: ['order', 'position_id', 'time'],
  record: (cells) => ({ order: cells.number(0), position_id: cells.number(1), time: cells.number(2) }),
};
const small = fc.nat(5);
const row: fc.Arbitrary<Row> = fc.record({ order: small, position_id: small, time: fc.nat(20) });
const query: fc.Arbitrary<HistoryQuery> = fc.oneof(
  fc.record({ ticket: fc.nat(6) }),
  fc.record({ position: fc.nat(6) }),
  fc.record({ from: fc.double({ min: -1, max: 22, noNaN: true }), to: fc.double({ min: -1, max: 22, noNaN: true }) }),
);

function matches({ order, position_id, time }: Row, asked: HistoryQuery): boolean {
  if ('ticket' in asked) return order === asked.ticket;
  if ('position' in asked) return position_id === asked.position;
  return time >= asked.from && time <= asked.to;
}

describe('the history of an account', () => {
  it.each<[string, (rows: Row[]) => Row[]]>([
    ['in the order of time', (rows) => rows.sort((a, b) => a.time - b.time)],
    ['in any order', (rows) => rows],
  ])('has for a query the rows that match it, %s', (_order, arranged) => {
    const property = fc.property(fc.array(row), query, (rows, asked) => {
      const history = new TradeHistory<Row>(
        form,
        ({ order }) => order,
        ({ time }) => time,
      );
      const added = arranged([...rows]);
      for (const one of added) history.add(one);
      expect(history.find(asked)).toEqual(added.filter((one) => matches(one, asked)));
      expect([history.rows, history.last]).toEqual([added, added.at(-1)]);
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});
