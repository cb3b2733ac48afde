import type { DealRecord, FullBarRecord } from '@libs/gateway-client';
import { colourOf, type PaintArea } from './chart';
import { barOf, type ChartLevel } from './chart-levels';

/** Candles: hollow and green where the price rose, filled and red where it fell. */
export function paintBars({ canvas, ratio, width, x, y }: PaintArea, bars: readonly FullBarRecord[]): void {
  const wide = Math.max(ratio, Math.min(12 * ratio, (width / Math.max(1, bars.length)) * 0.65));
  const [gain, loss, panel] = ['--gain', '--loss', '--panel'].map(colourOf);
  canvas.lineWidth = ratio;
  bars.forEach(({ open, high, low, close }, index) => {
    const middle = x(index);
    const [top, bottom] = [y(Math.max(open, close)), y(Math.min(open, close))];
    const colour = (close < open ? loss : gain) ?? '';
    canvas.strokeStyle = colour;
    canvas.fillStyle = close < open ? colour : (panel ?? '');
    canvas.beginPath();
    canvas.moveTo(middle, y(high));
    canvas.lineTo(middle, y(low));
    canvas.stroke();
    canvas.beginPath();
    canvas.rect(middle - wide / 2, top, wide, Math.max(ratio, bottom - top));
    canvas.fill();
    canvas.stroke();
  });
}

/** Arrows at the fills, with a border that separates them from the candles. */
export function paintFills(
  { canvas, ratio, x, y }: PaintArea,
  deals: readonly DealRecord[],
  times: readonly number[],
): void {
  const size = 6 * ratio;
  canvas.lineWidth = 1.5 * ratio;
  canvas.strokeStyle = colourOf('--panel');
  for (const deal of deals) {
    const bar = barOf(deal, times);
    if (bar < 0) continue;
    const isBuy = deal.type === 0;
    const [middle, level, up] = [x(bar), y(deal.price), isBuy ? -size : size];
    canvas.fillStyle = colourOf(isBuy ? '--line' : '--stale');
    canvas.beginPath();
    canvas.moveTo(middle, level);
    canvas.lineTo(middle - size, level - 2 * up);
    canvas.lineTo(middle + size, level - 2 * up);
    canvas.closePath();
    canvas.fill();
    canvas.stroke();
  }
}

/** Pixels that the name of a level needs above its line. */
const nameHeight = 12;

/** A dashed line for each level, with its name at the left where no other one is. */
export function paintLevels(area: PaintArea, levels: readonly ChartLevel[]): void {
  const { canvas, ratio, left, top, width, height, y } = area;
  canvas.save();
  canvas.beginPath();
  canvas.rect(left, top, width, height);
  canvas.clip();
  canvas.font = `${11 * ratio}px system-ui, sans-serif`;
  canvas.textBaseline = 'bottom';
  const named: number[] = [];
  for (const { price, text, colour } of levels) {
    canvas.fillStyle = colourOf(colour);
    paintLine(area, y(price), colourOf(colour));
    if (named.some((at) => Math.abs(at - y(price)) < nameHeight * ratio)) continue;
    named.push(y(price));
    canvas.fillText(text, left + 4 * ratio, y(price) - ratio);
  }
  canvas.restore();
}

/** The last price: a line, and the price on the axis at the right. */
export function paintLast(area: PaintArea, price: number, text: string): void {
  const { canvas, ratio, left, width, y } = area;
  const colour = colourOf('--dim');
  paintLine(area, y(price), colour);
  canvas.font = `${12 * ratio}px system-ui, sans-serif`;
  canvas.fillStyle = colour;
  canvas.fillRect(left + width, y(price) - 9 * ratio, 70 * ratio, 18 * ratio);
  canvas.fillStyle = colourOf('--panel');
  canvas.textBaseline = 'middle';
  canvas.fillText(text, left + width + 6 * ratio, y(price));
}

function paintLine({ canvas, ratio, left, width }: PaintArea, at: number, colour: string): void {
  canvas.lineWidth = ratio;
  canvas.strokeStyle = colour;
  canvas.setLineDash([4 * ratio, 3 * ratio]);
  canvas.beginPath();
  canvas.moveTo(left, at);
  canvas.lineTo(left + width, at);
  canvas.stroke();
  canvas.setLineDash([]);
}
