import type { HistoryQuery } from '@libs/terminal-client';
import fc from 'fast-check';
import { MemoryDisk } from '../testing/memory-disk';
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

/** Rows whose times rise, or fall once as on the night in autumn when the clock is put back. */
const longRows = fc.record({ length: fc.integer({ min: 600, max: 1_500 }), fallsAt: fc.nat(3_000) });

function longHistory({ length, fallsAt }: { readonly length: number; readonly fallsAt: number }): Row[] {
  return Array.from({ length }, (_, index) => ({
    order: Math.floor(index / 2) * 4_294_967_297,
    position_id: index % 5 === 0 ? 1 : index,
    time: Math.floor(index / 3) - (index < fallsAt ? 0 : 50),
  }));
}

const place = fc.nat(1_600);
const longQuery: fc.Arbitrary<HistoryQuery> = fc.oneof(
  fc.record({ ticket: place.map((at) => at * 4_294_967_297) }),
  fc.record({ position: place }),
  fc.record({ from: fc.integer({ min: -60, max: 520 }), to: fc.double({ min: -60, max: 520, noNaN: true }) }),
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

  it('finds the same rows on disk as in memory', () => {
    const property = fc.property(longRows, fc.array(longQuery, { minLength: 5 }), (shape, queries) => {
      const memory = { rows: 256, disk: new MemoryDisk() };
      const history = new TradeHistory<Row>(
        form,
        ({ order }) => order,
        ({ time }) => time,
        memory,
      );
      const rows = longHistory(shape);
      for (const one of rows) history.add(one);
      for (const asked of queries) expect(history.find(asked)).toEqual(rows.filter((one) => matches(one, asked)));
      expect(history.between(100, 400)).toEqual(rows.slice(100, 400));
      expect(memory.disk.files.length).toBe(1);
    });
    fc.assert(property, { numRuns: 40 });
  });
});
