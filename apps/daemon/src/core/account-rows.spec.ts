import fc from 'fast-check';
import type { PositionRecord } from '@libs/gateway-client';
import { AccountRows } from './account-rows';

const positionsWith = (magics: readonly number[]): PositionRecord[] =>
  magics.map((magic, index) => ({ identifier: index + 1, ticket: index + 1, magic }) as PositionRecord);

describe('the rows of an account', () => {
  it('have the positions of a magic number in the order of the list, however many there are', () => {
    const magics = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 200, size: 'max' });
    fc.assert(
      fc.property(magics, fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 4 }), (all, asked) => {
        const positions = positionsWith(all);
        const rows = new AccountRows(positions, []);
        for (const magic of asked) {
          expect(rows.positionsOf(magic)).toEqual(positions.filter((row) => row.magic === magic));
        }
      }),
    );
  });

  it('have all positions of a strategy among thousands', () => {
    const rows = new AccountRows(positionsWith(Array.from({ length: 3_000 }, (_, index) => index % 300)), []);
    expect(rows.positionsOf(7).map(({ ticket }) => ticket)).toEqual(
      Array.from({ length: 10 }, (_, turn) => 8 + turn * 300),
    );
    expect(rows.positionsOf(300)).toEqual([]);
  });
});
