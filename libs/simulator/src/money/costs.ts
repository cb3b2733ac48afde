import { DealEntry } from '@libs/terminal-client';
import type { SymbolSpec } from '../symbols/symbol-spec';
import { exact, rounded } from './decimals';

/** What the broker will take for a deal, as a sum to be added to the balance. @param digits of the deposit currency */
export function commissionOf({ market }: SymbolSpec, volume: number, entry: number, digits: number): number {
  const { perLot, charged } = market.commission;
  if (perLot === 0 || (charged === 'in' && entry !== DealEntry.IN && entry !== DealEntry.INOUT)) return 0;
  return rounded(exact(-perLot).mul(volume), digits).toNumber();
}

/** The share of a position's swap that goes with a part of its volume. @param digits of the deposit currency */
export function swapShare(swap: number, part: number, volume: number, digits: number): number {
  if (swap === 0) return 0;
  return rounded(part === volume ? exact(swap) : exact(swap).mul(part).div(volume), digits).toNumber();
}
