import { Decimal } from 'decimal.js';
import { fromFixedPoint, toFixedPoint, toWholeTicks } from './fixed-point';
import type { SymbolInfo } from './records';

type PriceGrid = Pick<SymbolInfo, 'trade_tick_size' | 'point' | 'digits'>;
type VolumeGrid = Pick<SymbolInfo, 'volume_min' | 'volume_max' | 'volume_step'>;

/** A price on the symbol's grid, rounded half up to whole ticks and to its digits. */
export function snapPrice(price: number, grid: PriceGrid): number {
  const snapped = toWholeTicks(price, grid.trade_tick_size, grid.digits);
  if (!Number.isNaN(snapped)) return snapped;
  const tickSize = new Decimal(grid.trade_tick_size > 0 ? grid.trade_tick_size : grid.point);
  if (tickSize.isZero()) return price;
  return new Decimal(price)
    .div(tickSize)
    .toDecimalPlaces(0, Decimal.ROUND_HALF_UP)
    .mul(tickSize)
    .toDecimalPlaces(grid.digits, Decimal.ROUND_HALF_UP)
    .toNumber();
}

/** Whether two prices are the same on the symbol's grid. */
export function samePrice(a: number, b: number, grid: PriceGrid): boolean {
  return snapPrice(a, grid) === snapPrice(b, grid);
}

/** Lots by which a volume may miss the grid: the noise of binary fractions, as in 0.1 + 0.2. */
const volumeTolerance = 1e-9;

/** The volume snapped to a whole number of steps, or the volume itself if it is off by more than 1e-9 lots. */
export function snapVolume(volume: number, grid: Pick<SymbolInfo, 'volume_step'>): number {
  if (grid.volume_step <= 0 || isWholeSteps(volume, grid)) return volume;
  const snapped = new Decimal(volume).div(grid.volume_step).round().mul(grid.volume_step);
  return snapped.minus(volume).abs().lte(volumeTolerance) ? snapped.toNumber() : volume;
}

/** Whether two volumes differ by no more than the noise of binary fractions. */
export function sameVolume(a: number, b: number): boolean {
  return new Decimal(a).minus(b).abs().lte(volumeTolerance);
}

/** True if the volume is a whole number of steps. */
export function isOnVolumeGrid(volume: number, grid: VolumeGrid): boolean {
  return grid.volume_step <= 0 || isWholeSteps(volume, grid) || new Decimal(volume).mod(grid.volume_step).isZero();
}

/** True only if the volume is a whole number of steps; false also where fixed point does not decide it. */
function isWholeSteps(volume: number, { volume_step: step }: Pick<VolumeGrid, 'volume_step'>): boolean {
  return toFixedPoint(volume) % toFixedPoint(step) === 0;
}

/** The permitted volumes next to an invalid one: below and above, if both exist. */
export function nearestVolumes(volume: number, grid: VolumeGrid): number[] {
  const step = new Decimal(grid.volume_step > 0 ? grid.volume_step : grid.volume_min);
  const min = new Decimal(grid.volume_min);
  const max = new Decimal(grid.volume_max);
  const below = Decimal.min(Decimal.max(new Decimal(volume).div(step).floor().mul(step), min), max);
  const above = Decimal.min(Decimal.max(new Decimal(volume).div(step).ceil().mul(step), min), max);
  return below.eq(above) ? [below.toNumber()] : [below.toNumber(), above.toNumber()];
}

/** Remaining lots of a volume, exact in decimals. */
export function subtractVolume(volume: number, part: number): number {
  const left = toFixedPoint(volume) - toFixedPoint(part);
  return Number.isNaN(left) ? new Decimal(volume).minus(part).toNumber() : fromFixedPoint(left);
}
