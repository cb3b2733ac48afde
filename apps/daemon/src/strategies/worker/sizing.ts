import type { Risk, SymbolSpec } from '@libs/strategy';
import { Decimal } from 'decimal.js';

type VolumeGrid = Pick<SymbolSpec, 'volumeMin' | 'volumeMax' | 'volumeStep'>;

/**
 * The greatest volume on the grid whose loss at the stop-loss is within the risk; 0 when there is none.
 * @throws Error for a risk or distance that is not a number above 0, or while the value of a tick is not known
 */
export function volumeFor(spec: SymbolSpec, { risk, stopDistance }: Risk): number {
  const given = { risk, stopDistance };
  for (const [name, value] of Object.entries(given)) {
    if (!Number.isFinite(value) || value <= 0)
      throw new Error(`volumeFor: ${name} must be a number above 0, not ${value}`);
  }
  const { symbol, tickSize, tickValue } = spec;
  if (tickValue === null || !(tickSize > 0))
    throw new Error(`volumeFor: the value of a tick of ${symbol} is not known`);
  const lossOfOneLot = new Decimal(stopDistance).div(tickSize).mul(tickValue);
  return roundVolume(spec, new Decimal(risk).div(lossOfOneLot));
}

/** A volume rounded down to the grid, within its bounds; 0 below the least. */
export function roundVolume({ volumeMin, volumeMax, volumeStep }: VolumeGrid, lots: Decimal.Value): number {
  const wanted = Decimal.min(lots, volumeMax);
  const step = volumeStep > 0 ? volumeStep : volumeMin;
  const rounded = step > 0 ? wanted.div(step).floor().mul(step) : wanted;
  return rounded.lt(volumeMin) ? 0 : rounded.toNumber();
}

/** A price rounded to the grid, half up. */
export function roundPrice({ tickSize, point, digits }: SymbolSpec, price: number): number {
  const grid = tickSize > 0 ? tickSize : point;
  if (!(grid > 0)) return price;
  const steps = new Decimal(price).div(grid).toDecimalPlaces(0, Decimal.ROUND_HALF_UP);
  return steps.mul(grid).toDecimalPlaces(digits, Decimal.ROUND_HALF_UP).toNumber();
}
