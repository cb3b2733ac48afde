import {
  accountFields,
  barRowFields,
  checkRowFields,
  differenceFields,
  keyedDealRowFields,
  keyedOrderRowFields,
  lastErrorRowFields,
  positionRowFields,
  positionSummaryFields,
  positionSummaryRowFields,
  requiredMembers,
  requiredSymbolFields,
  symbolRowFields,
  tickRowFields,
  without,
  type Fields,
} from '@libs/records';
import { barMembers, dealMembers, historyOrderMembers, orderMembers, positionMembers } from './members';
import type { RecordShape } from './record-shape';
import { shapes } from './shapes';

const exampleOf = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, { example }]) => [name, example]));

describe('a record of the gateway', () => {
  it.each<[string, RecordShape<object>, Fields, Fields]>([
    ['account', shapes.account, accountFields, accountFields],
    ['quote', shapes.tick, tickRowFields, tickRowFields],
    ['bar', shapes.bar, barRowFields, barRowFields],
    ['position', shapes.position, positionRowFields, positionMembers],
    ['pending order', shapes.order, keyedOrderRowFields, orderMembers],
    ['past order', shapes.pastOrder, keyedOrderRowFields, historyOrderMembers],
    ['deal', shapes.deal, keyedDealRowFields, dealMembers],
    ['order check', shapes.orderCheck, checkRowFields, checkRowFields],
    ['last error', shapes.lastError, lastErrorRowFields, without(lastErrorRowFields, 'error_code', 'error_message')],
    ['position summary', shapes.summary, positionSummaryRowFields, without(positionSummaryFields, 'comment')],
    ['difference', shapes.difference, differenceFields, differenceFields],
    ['symbol', shapes.symbol, symbolRowFields, requiredSymbolFields],
  ])('of a kind (%s) has all members that are never null', (_kind, shape, sent, relied) => {
    const row = exampleOf(sent);
    expect(shape.record(row)).toBe(row);
    const required = requiredMembers(relied);
    expect(required.length).toBeGreaterThan(1);
    for (const [name] of required) {
      const { [name]: _member, ...others } = row;
      expect(() => shape.record(others)).toThrow(`has no ${name}`);
    }
  });

  it('has no ticket or magic that a number does not hold exactly', () => {
    for (const name of ['ticket', 'magic', 'identifier']) {
      const row = { ...exampleOf(positionMembers), [name]: 2 ** 53 };
      expect(() => shapes.position.record(row)).toThrow(
        `the ${name} of the position is no integer that a number holds exactly`,
      );
    }
  });

  it('may have unknown members, and names that version 0.1.0 did not send', () => {
    const row = { ...exampleOf(positionMembers), margin: 3 };
    expect(shapes.position.record(row)).toBe(row);
  });

  it('may have null for unknown values', () => {
    const row = { ...exampleOf(positionMembers), time_utc: null, client_order_id: null };
    expect(shapes.position.record(row)).toBe(row);
  });

  it('may lack members that the terminal does not have for a symbol', () => {
    const row = exampleOf(requiredSymbolFields);
    expect(shapes.symbol.record(row)).toBe(row);
  });

  it('is a bar for strategies even without the spread', () => {
    expect(Object.keys(barMembers)).toEqual(['time', 'time_server', 'open', 'high', 'low', 'close', 'tick_volume']);
  });
});
