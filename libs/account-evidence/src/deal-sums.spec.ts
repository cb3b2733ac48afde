import { Decimal } from 'decimal.js';
import { DealType, PositionType } from '@libs/trade-constants';
import { balanceChange, isSameMoney, netVolume, signedLots, signedVolume } from './deal-sums';

describe('the lots of deals', () => {
  it('are positive for a buy, negative for a sell, and none for a deal that is no trade', () => {
    const lots = (type: DealType): number => signedVolume({ type, volume: 0.3 }).toNumber();
    expect([DealType.BUY, DealType.SELL, DealType.BALANCE].map(lots)).toEqual([0.3, -0.3, 0]);
  });

  it('sum up exactly', () => {
    const deals = [0.1, 0.2].map((volume) => ({ type: DealType.BUY, volume }));
    expect(netVolume([...deals, { type: DealType.SELL, volume: 0.3 }]).isZero()).toBe(true);
    expect(netVolume([]).isZero()).toBe(true);
  });

  it('compare with those of a position: positive for a long one, and zero without one', () => {
    expect(signedLots({ type: PositionType.BUY, volume: 0.2 }).toNumber()).toBe(0.2);
    expect(signedLots({ type: PositionType.SELL, volume: 0.2 }).toNumber()).toBe(-0.2);
    expect(signedLots(undefined).isZero()).toBe(true);
  });
});

describe('the money of deals', () => {
  const money = { profit: 5, swap: -0.3, commission: -0.2, fee: -0.1 };

  it('is profit, swap, commission and fee, and none of the balance for a credit', () => {
    expect(balanceChange({ type: DealType.SELL, ...money }).toNumber()).toBe(4.4);
    expect(balanceChange({ type: DealType.CREDIT, ...money }).isZero()).toBe(true);
  });

  it('is the same up to a cent, in either direction', () => {
    const change = balanceChange({ type: DealType.BUY, ...money });
    const isSame = (other: number): boolean => isSameMoney(change, other, undefined);
    expect([4.4, 4.4099, 4.3901].map(isSame)).toEqual([true, true, true]);
    expect([4.41, 4.39].map(isSame)).toEqual([false, false]);
  });

  it('is the same up to the last digit of its currency, where that is no cent', () => {
    const isSame = (other: number, digits: number): boolean => isSameMoney(new Decimal(4), other, digits);
    expect([4.0009, 4.001, 3.999].map((dinars) => isSame(dinars, 3))).toEqual([true, false, false]);
    expect([4.9, 3.1, 5, 3].map((yen) => isSame(yen, 0))).toEqual([true, true, false, false]);
    // The noise of a binary fraction makes no digit.
    expect(isSame(4.0009999999999994, 3)).toBe(false);
  });
});
