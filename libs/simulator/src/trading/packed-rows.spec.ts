import fc from 'fast-check';
import { dealFields, orderFields } from '@libs/records';
import type { TradeDeal, TradeOrder } from '@libs/terminal-client';
import { dealForm, orderForm } from './history-forms';
import { PackedRows, type RowForm } from './packed-rows';

const text = fc.constantFrom('', 'tp 1.1', 'constructor', '__proto__', '€');

/** A record of a form, whose numbers and texts are any. */
function rowOf<Row>(fields: Readonly<Record<keyof Row & string, { readonly type: string }>>): fc.Arbitrary<Row> {
  const names = Object.keys(fields) as (keyof Row & string)[];
  const values = names.map((name) => [name, fields[name].type === 'string' ? text : fc.double()]);
  return fc.record(Object.fromEntries(values) as { [Name in keyof Row]: fc.Arbitrary<Row[Name]> });
}

/** The rows, after they went through a list. */
function throughList<Row extends object>(form: RowForm<Row>, rows: readonly Row[]): Row[] {
  const packed = new PackedRows(form);
  for (const each of rows) packed.push(each);
  expect(packed.length).toBe(rows.length);
  return rows.map((_row, index) => packed.at(index));
}

function requireSame<Row extends object>(form: RowForm<Row>, row: fc.Arbitrary<Row>): void {
  const rows = fc.array(row, { maxLength: 600, size: 'max' });
  const property = fc.property(rows, (given) => expect(throughList(form, given)).toEqual(given));
  fc.assert(property, { numRuns: 20 });
}

interface Small {
  ticket: number;
  comment: string;
}
const small: RowForm<Small> = {
  fields: ['ticket', 'comment'],
  record: (cells) => ({ ticket: cells.number(0), comment: cells.text(1) }),
};

describe('packed rows', () => {
  it('of orders are returned as they came', () => {
    requireSame(orderForm, rowOf<TradeOrder>(orderFields));
    expect(Object.keys(orderFields).toSorted()).toEqual(orderForm.fields.toSorted());
  });

  it('of deals are returned as they came', () => {
    requireSame(dealForm, rowOf<TradeDeal>(dealFields));
    expect(Object.keys(dealFields).toSorted()).toEqual(dealForm.fields.toSorted());
  });

  it('are kept as they are if they have another form', () => {
    const ofFile = `[{"ticket":1,"comment":"a"},{"ticket":2},{"ticket":3,"comment":"b","magic":7},{"ticket":4,"comment":null},
      {"ticket":"5","comment":"c"},{"ticket":6,"text":"d"},{"ticket":7,"comment":"e"}]`;
    const rows = JSON.parse(ofFile) as Small[];
    expect(throughList(small, rows)).toEqual(rows);
  });

  it('are copies', () => {
    const packed = new PackedRows<Small>(small);
    const given = { ticket: 1, comment: 'a' };
    packed.push(given);
    given.ticket = 2;
    packed.at(0).ticket = 3;
    expect(packed.at(0)).toEqual({ ticket: 1, comment: 'a' });
  });
});
