import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { catalogue } from '@libs/simulator';
import { isOnVolumeGrid, nearestVolumes, snapPrice, subtractVolume } from './price-grid';

describe('arithmetic on the grid', () => {
  const grids = fc.constantFrom(
    { trade_tick_size: 0.00001, point: 0.00001, digits: 5 },
    { trade_tick_size: 0.01, point: 0.01, digits: 2 },
    { trade_tick_size: 0.25, point: 0.01, digits: 2 },
    { trade_tick_size: 0.5, point: 0.1, digits: 1 },
  );
  const prices = fc.double({ min: 0.0001, max: 100_000, noNaN: true });

  it('snaps to a whole number of ticks, no further than half of one, and only once', () => {
    fc.assert(
      fc.property(prices, grids, (price, grid) => {
        const snapped = snapPrice(price, grid);
        const ticks = new Decimal(snapped).div(grid.trade_tick_size);
        const distance = new Decimal(snapped).minus(price).abs();
        return (
          ticks.isInteger() &&
          distance.lte(new Decimal(grid.trade_tick_size).div(2)) &&
          snapPrice(snapped, grid) === snapped
        );
      }),
    );
  });

  it('snaps as decimals do, also next to half a tick and to a tick that has more digits than the price', () => {
    const ticks = fc.constantFrom<readonly [tick: number, digits: number]>(
      ...([
        [1e-5, 5],
        [1e-8, 8],
        [0.05, 2],
        [0.25, 2],
        [0.5, 0],
        [0.125, 2],
        [1, 0],
        [100, 2],
        [1e-9, 9],
        [0.3, 1],
      ] as const),
    );
    const near = fc.tuple(fc.integer({ min: 1, max: 2_000_000_000 }), fc.constantFrom(-2, -1, -1e-3, 0, 1e-3, 1, 2));
    const some = fc.oneof(near, fc.tuple(fc.nat(1_000_000), fc.double({ min: -5e5, max: 5e5, noNaN: true })));
    fc.assert(
      fc.property(some, ticks, ([count, millionth], [tick, digits]) => {
        const price = new Decimal(count).plus(0.5).plus(new Decimal(millionth).div(1e6)).mul(tick).toNumber();
        const exact = new Decimal(price).div(tick).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).mul(tick);
        const expected = exact.toDecimalPlaces(digits, Decimal.ROUND_HALF_UP).toNumber();
        expect(snapPrice(price, { trade_tick_size: tick, point: tick, digits })).toBe(expected);
      }),
      { numRuns: 5_000 },
    );
  });

  it('snaps half up', () => {
    const grid = { trade_tick_size: 0.00001, point: 0.00001, digits: 5 };
    expect(snapPrice(1.000005, grid)).toBe(1.00001);
    expect(snapPrice(1.000015, grid)).toBe(1.00002);
    expect(snapPrice(1.000014999, grid)).toBe(1.00001);
  });

  it('treats every multiple of the step as on the grid, and names neighbours that are', () => {
    const steps = fc.constantFrom(...[...new Set(catalogue.map((symbol) => symbol.volume_step))], 0.001, 0.1);
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 9 }),
        (step, count, tenth) => {
          const grid = { volume_min: step, volume_max: new Decimal(step).mul(2_000_000).toNumber(), volume_step: step };
          const on = new Decimal(step).mul(count).toNumber();
          const off = new Decimal(step).mul(new Decimal(count).plus(new Decimal(tenth).div(10))).toNumber();
          const nearest = nearestVolumes(off, grid);
          return (
            isOnVolumeGrid(on, grid) &&
            !isOnVolumeGrid(off, grid) &&
            nearest.length === 2 &&
            nearest.every((volume) => isOnVolumeGrid(volume, grid)) &&
            (nearest[0] ?? 0) < off &&
            (nearest[1] ?? 0) > off
          );
        },
      ),
    );
  });

  it('subtracts lots without the noise of binary fractions', () => {
    expect(subtractVolume(0.3, 0.1)).toBe(0.2);
    expect(subtractVolume(1, 0.9)).toBe(0.1);
  });
});
