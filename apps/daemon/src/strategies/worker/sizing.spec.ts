import type { SymbolSpec } from '@libs/strategy';
import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { roundPrice, roundVolume, volumeFor } from './trade-desk';

const eurusd: SymbolSpec = {
  symbol: 'EURUSD',
  ...{ digits: 5, point: 0.00001, tickSize: 0.00001, tickValue: 1, contractSize: 100_000 },
  ...{ volumeMin: 0.01, volumeMax: 500, volumeStep: 0.01, stopsDistance: 0, freezeDistance: 0 },
  ...{ tradeMode: 'full', marginPerLot: null, spread: null },
};
/** 0.9 USD a tick of 0.001 and lot. */
const eurjpy: SymbolSpec = { ...eurusd, symbol: 'EURJPY', digits: 3, point: 0.001, tickSize: 0.001, tickValue: 0.9 };
/** A future: quarter points of 5 USD, whole contracts. */
const future: SymbolSpec = {
  ...eurusd,
  ...{
    symbol: 'ES',
    digits: 2,
    point: 0.01,
    tickSize: 0.25,
    tickValue: 12.5,
    volumeMin: 1,
    volumeMax: 20,
    volumeStep: 1,
  },
};

describe('the volume for a risk', () => {
  it.each([
    // 20 pips of a lot are 200 USD.
    [eurusd, 100, 0.002, 0.5],
    [eurusd, 199.99, 0.002, 0.99],
    // 0.57 / 0.01 is 56.99999999999999 in binary fractions.
    [eurusd, 114, 0.002, 0.57],
    // 50 pips of a lot are 450 USD.
    [eurjpy, 1_000, 0.5, 2.22],
    // 10 points of a contract are 500 USD.
    [future, 1_499, 10, 2],
    [future, 499, 10, 0],
    [future, 1_000_000, 1, 20],
  ])('%o: risk %d at a distance of %d is %d lots', (spec, risk, stopDistance, lots) => {
    expect(volumeFor(spec, { risk, stopDistance })).toBe(lots);
  });

  it('is on the grid, loses no more than the risk, and one step more would', () => {
    const specs = fc.constantFrom(eurusd, eurjpy, future);
    const amount = fc.double({ min: 1e-6, max: 1e7, noNaN: true });
    fc.assert(
      fc.property(specs, amount, amount, (spec, risk, stopDistance) => {
        const volume = volumeFor(spec, { risk, stopDistance });
        const { tickSize, tickValue, volumeStep, volumeMin, volumeMax } = spec;
        const loss = (lots: Decimal.Value): Decimal =>
          new Decimal(lots).mul(new Decimal(stopDistance).div(tickSize).mul(tickValue ?? 0));
        expect(new Decimal(volume).mod(volumeStep).isZero()).toBe(true);
        // The division leaves its twentieth digit uncertain.
        expect(loss(volume).lte(new Decimal(risk).mul(1 + 1e-15))).toBe(true);
        const next = volume === 0 ? volumeMin : new Decimal(volume).plus(volumeStep);
        expect(volume === volumeMax || loss(next).gt(risk)).toBe(true);
      }),
    );
  });

  it('is an error for an invalid amount, and while the value of a tick is not known', () => {
    expect(() => volumeFor(eurusd, { risk: Number.NaN, stopDistance: 1 })).toThrow(
      'risk must be a number above 0, not NaN',
    );
    expect(() => volumeFor(eurusd, { risk: 1, stopDistance: 0 })).toThrow(
      'stopDistance must be a number above 0, not 0',
    );
    expect(() => volumeFor({ ...eurusd, tickValue: null }, { risk: 1, stopDistance: 1 })).toThrow(
      'the value of a tick of EURUSD is not known',
    );
  });
});

describe('rounding', () => {
  it('rounds a volume down to the grid, to 0 below the least', () => {
    expect([0.579, 0.57, 0.009, 600, 0.3].map((lots) => roundVolume(eurusd, lots))).toEqual([0.57, 0.57, 0, 500, 0.3]);
    expect(roundVolume(eurusd, 0.1 + 0.2)).toBe(0.3);
  });

  it('rounds a price to the nearest tick', () => {
    expect(roundPrice(eurusd, 1.234565)).toBe(1.23457);
    expect(roundPrice(future, 4_321.13)).toBe(4_321.25);
    expect(roundPrice(future, 4_321.12)).toBe(4_321);
  });
});
