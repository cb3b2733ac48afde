import type { PageBar, PageTrade } from './page-data';
import type { PaintArea } from './time-chart';

/** Colours of the page by what they are for. */
export interface ChartColours {
  readonly dim: string;
  readonly gain: string;
  readonly loss: string;
}

/** Candles while there is room for them, otherwise the range of each few pixels. */
export function paintCandles(
  { canvas, width, ratio, x, y }: PaintArea,
  bars: readonly PageBar[],
  { dim }: ChartColours,
): void {
  const step = Math.max(1, Math.ceil(bars.length / (width / ratio / 3)));
  const wide = Math.max(1, Math.min(12, (width / ratio / Math.max(1, bars.length / step)) * 0.6)) * ratio;
  canvas.strokeStyle = canvas.fillStyle = dim;
  canvas.lineWidth = ratio;
  for (let at = 0; at < bars.length; at += step) {
    const group = bars.slice(at, at + step);
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) continue;
    const [open, close] = [first[1], last[4]];
    const middle = x(first[0] + (last[0] - first[0]) / 2);
    const [top, bottom] = [y(Math.max(open, close)), y(Math.min(open, close))];
    canvas.beginPath();
    canvas.moveTo(middle, y(Math.max(...group.map((bar) => bar[2]))));
    canvas.lineTo(middle, y(Math.min(...group.map((bar) => bar[3]))));
    canvas.rect(middle - wide / 2, top, wide, Math.max(0.8 * ratio, bottom - top));
    canvas.stroke();
    if (close < open) canvas.fill();
  }
}

/**
 * From entry to exit, coloured by result; where trades are closer than some pixels, without marks, which would hide the prices. The arrow at the entry
 * points where the trade gains.
 */
export function paintTrades(
  { canvas, width, ratio, x, y }: PaintArea,
  trades: readonly PageTrade[],
  { gain, loss }: ChartColours,
): void {
  const small = (trades.length > 150 ? 3 : 5) * ratio;
  const isCrowded = trades.length > width / ratio / 3;
  canvas.lineWidth = (isCrowded ? 1 : 1.5) * ratio;
  for (const { side, opened, closed, entry, exit, result } of trades) {
    const [x1, y1, x2, y2] = [x(opened), y(entry), x(closed), y(exit)];
    const up = side === 'buy' ? -small : small;
    canvas.strokeStyle = canvas.fillStyle = result < 0 ? loss : gain;
    canvas.beginPath();
    canvas.moveTo(x1, y1);
    canvas.lineTo(x2, y2);
    canvas.stroke();
    if (isCrowded) continue;
    canvas.beginPath();
    canvas.moveTo(x1, y1 + up);
    canvas.lineTo(x1 - small, y1 - up);
    canvas.lineTo(x1 + small, y1 - up);
    canvas.closePath();
    canvas.fill();
    canvas.beginPath();
    canvas.arc(x2, y2, small * 0.6, 0, 2 * Math.PI);
    canvas.fill();
  }
}

/** A dashed line at a value, over the whole width. */
export function paintLevel({ canvas, ratio, y, width }: PaintArea, value: number, colour: string): void {
  canvas.strokeStyle = colour;
  canvas.lineWidth = ratio;
  canvas.setLineDash([2 * ratio, 4 * ratio]);
  canvas.beginPath();
  canvas.moveTo(0, y(value));
  canvas.lineTo(width * 2, y(value));
  canvas.stroke();
  canvas.setLineDash([]);
}
