import { priceText, type DealRecord, type FullBarRecord } from '@libs/gateway-client';
import type { TargetedSubmitEvent } from 'preact';
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import { Chart, colourOf, type PaintArea } from './chart';
import type { Desk } from './desk';
import type { MarketView } from './market-view';
import { timeframes } from './market-view';
import { Panel } from './text';

/** Bars of one symbol with the fills of the account. The last bar is still forming. */
export function PricePanel({ desk }: { readonly desk: Desk }) {
  const shown = desk.market.value;
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const [symbol, timeframe] = [fields.get('symbol'), fields.get('timeframe')];
    if (typeof symbol === 'string' && typeof timeframe === 'string') desk.showMarket(symbol.trim(), timeframe);
  };
  return (
    <section id="market" class="panel" aria-labelledby="market-title">
      <h2 id="market-title">Prices and fills</h2>
      <form class="inline" onSubmit={submit}>
        <label for="symbol">Symbol</label>
        <input id="symbol" name="symbol" value={shown?.symbol ?? ''} autocomplete="off" required maxLength={64} />
        <label for="timeframe">Timeframe</label>
        <select id="timeframe" name="timeframe">
          {timeframes.map((name) => (
            <option key={name} selected={name === shown?.timeframe}>
              {name}
            </option>
          ))}
        </select>
        <button type="submit">Show</button>
      </form>
      {shown !== null && (
        <Panel
          id="prices"
          key={`${shown.symbol} ${shown.timeframe}`}
          title={`${shown.symbol} ${shown.timeframe}`}
          feed={shown.feed}
        >
          {(view) => <PriceChart digits={desk.digits.of(shown.symbol)} symbol={shown.symbol} view={view} />}
        </Panel>
      )}
    </section>
  );
}

interface PriceChartProps {
  /** Of the symbol's prices; undefined while they are not known. */
  readonly digits: number | undefined;
  readonly symbol: string;
  readonly view: MarketView;
}

function PriceChart({ digits, symbol, view: { bars, deals } }: PriceChartProps) {
  const data = useMemo((): uPlot.AlignedData => {
    const columns = [
      (bar: FullBarRecord) => bar.time_server,
      (bar: FullBarRecord) => bar.high,
      (bar: FullBarRecord) => bar.low,
    ];
    const [times = [], highs = [], lows = []] = columns.map((column) => bars.map(column));
    return [times, highs, lows];
  }, [bars]);
  const last = bars.at(-1);
  if (last === undefined) return <p>The broker has no bars of this symbol.</p>;
  const label = `${symbol}: ${bars.length} bars, last price ${priceText(last.close, digits)}, ${deals.length === 1 ? '1 fill' : `${deals.length} fills`}`;
  return (
    <>
      <Chart
        label={label}
        data={data}
        lines={[null, null]}
        digits={digits ?? digitsOf(bars)}
        paint={(area) => {
          paintBars(area, bars);
          paintFills(area, deals);
        }}
      />
      <p>{label}. ▲ bought, ▼ sold. Times are those of the broker&apos;s server, not UTC.</p>
    </>
  );
}

function digitsOf(bars: readonly FullBarRecord[]): number {
  return Math.max(...bars.slice(-20).map(({ close }) => (String(close).split('.')[1] ?? '').length));
}

function paintBars({ canvas, ratio, width, x, y }: PaintArea, bars: readonly FullBarRecord[]): void {
  const wide = Math.max(ratio, Math.min(12 * ratio, (width / Math.max(1, bars.length)) * 0.6));
  canvas.strokeStyle = canvas.fillStyle = colourOf('--dim');
  canvas.lineWidth = ratio;
  for (const { time_server: time, open, high, low, close } of bars) {
    const middle = x(time);
    const [top, bottom] = [y(Math.max(open, close)), y(Math.min(open, close))];
    canvas.beginPath();
    canvas.moveTo(middle, y(high));
    canvas.lineTo(middle, y(low));
    canvas.rect(middle - wide / 2, top, wide, Math.max(ratio, bottom - top));
    canvas.stroke();
    if (close < open) canvas.fill();
  }
}

function paintFills({ canvas, ratio, x, y }: PaintArea, deals: readonly DealRecord[]): void {
  const size = 5 * ratio;
  for (const { time_msc: at, price, type } of deals) {
    const isBuy = type === 0;
    const [middle, level, up] = [x(at / 1_000), y(price), isBuy ? -size : size];
    canvas.fillStyle = colourOf(isBuy ? '--gain' : '--loss');
    canvas.beginPath();
    canvas.moveTo(middle, level + up);
    canvas.lineTo(middle - size, level - up);
    canvas.lineTo(middle + size, level - up);
    canvas.closePath();
    canvas.fill();
  }
}
