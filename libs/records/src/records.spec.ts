import {
  dealFields,
  flag,
  integer,
  isOfType,
  nullable,
  number,
  oneOf,
  only,
  orderFields,
  positionFields,
  positionRowFields,
  requiredMembers,
  text,
  without,
} from './index';

describe('a declared record', () => {
  const fields = {
    ticket: integer(7, 'Of the order.'),
    volume: number(0.1),
    symbol: text('EURUSD'),
    closed: flag(true),
    side: oneOf(['BUY', 'SELL'], 'BUY'),
    price: nullable(number(1.1, 'Null while it is not known.')),
    time_utc: nullable(text('2026-01-05T10:00:00Z'), null),
  };

  it('has to have each member that is never null, of its type on the wire', () => {
    expect(requiredMembers(fields)).toEqual([
      ['ticket', 'integer'],
      ['volume', 'number'],
      ['symbol', 'string'],
      ['closed', 'boolean'],
      ['side', 'string'],
    ]);
  });

  it('has whole numbers that a double holds exactly, and no fractions, in an integer', () => {
    const wrong = [2 ** 53, -(2 ** 53), 2 ** 60, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '7', null, undefined];
    expect([7, 0, -7, 2 ** 53 - 1].every((value) => isOfType(value, 'integer'))).toBe(true);
    expect(wrong.filter((value) => isOfType(value, 'integer'))).toEqual([]);
    expect([isOfType(2 ** 60, 'number'), isOfType('7', 'string'), isOfType(1, 'boolean')]).toEqual([true, true, false]);
  });

  it('keeps unit and example of a member that may be null', () => {
    expect(fields.price).toMatchObject({ example: 1.1, description: 'Null while it is not known.', nullable: true });
    expect(fields.time_utc.example).toBeNull();
  });

  it('gives narrower records, in the same order', () => {
    expect(Object.keys(without(fields, 'symbol', 'ticket', 'time_utc'))).toEqual(['volume', 'closed', 'side', 'price']);
    expect(Object.keys(only(fields, 'side', 'volume'))).toEqual(['volume', 'side']);
  });
});

describe('the records of the terminal', () => {
  it('have the fields of its named tuples, without what the API derives from them', () => {
    expect(Object.keys(positionFields)).toHaveLength(19);
    expect(Object.keys(orderFields)).toHaveLength(24);
    expect(Object.keys(dealFields)).toHaveLength(18);
    const derived = Object.keys(positionRowFields).filter((name) => !(name in positionFields));
    expect(derived).toEqual(['type_str', 'time_utc', 'client_order_id']);
  });

  it('are never null in a member', () => {
    const records = [positionFields, orderFields, dealFields];
    expect(records.map((fields) => requiredMembers(fields).length)).toEqual([19, 24, 18]);
  });
});
