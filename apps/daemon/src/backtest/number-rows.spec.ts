import { NumberRows, unpacked } from './number-rows';

describe('rows of numbers', () => {
  it('come back in their order, however many there are', () => {
    const rows = new NumberRows(2);
    const pushed = Array.from({ length: 1_000 }, (_, row) => [row, row / 7] as const);
    for (const row of pushed) rows.push(...row);
    expect(rows.count).toBe(1_000);
    expect([rows.at(999, 1), rows.at(1_000, 0)]).toEqual([999 / 7, 0]);
    const packed = rows.packed();
    expect(unpacked(packed, 2, (first) => [packed[first], packed[first + 1]])).toEqual(pushed);
  });
});
