import { countText, type DealRecord, type FullBarRecord, priceText } from '@libs/gateway-client';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { Chart, type PaintArea } from './chart';
import { Movable, WindowButtons } from './chart-moves';
import { newestBars, shownBars } from './chart-window';
import { levelsOf, priceRange, timeTicks } from './chart-levels';
import type { Desk } from './desk';
import type { MarketView } from './market-view';
import { timeframes } from './market-view';
import { paintBars, paintFills, paintLast, paintLevels } from './price-paint';
import { NotRead, Panel } from './text';

/** Bars of one symbol with the fills of the account and its levels. The last bar is still forming. */
export function PricePanel({ desk }: { readonly desk: Desk }) {
  const shown = desk.market.value;
  const { value: names } = desk.symbols.reading.value;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const { current } = field;
    // What is being typed stays.
    if (current !== null && document.activeElement !== current) current.value = shown?.symbol ?? '';
  }, [shown?.symbol]);
  const show = (symbol: string, timeframe: string = timeframes[0]): void => {
    if (symbol.trim() !== '') desk.showMarket(symbol.trim(), timeframe);
  };
  return (
    <section id="market" class="panel" aria-labelledby="market-title">
      <h2 id="market-title">Prices and fills</h2>
      <form class="inline" onSubmit={(event) => event.preventDefault()}>
        <label for="symbol">Symbol</label>
        <input
          {...{ id: 'symbol', name: 'symbol', list: 'symbols', maxLength: 64, autocomplete: 'off', spellcheck: false }}
          ref={field}
          onChange={(event) => show(event.currentTarget.value, shown?.timeframe)}
        />
        <datalist id="symbols">
          {names?.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <span class="choices" role="group" aria-label="timeframe">
          {timeframes.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === shown?.timeframe}
              disabled={shown === null}
              onClick={() => show(shown?.symbol ?? '', name)}
            >
              {name}
            </button>
          ))}
        </span>
      </form>
      {shown === null ? (
        <NoMarket desk={desk} />
      ) : (
        <Panel
          id="prices"
          key={`${shown.symbol} ${shown.timeframe}`}
          title={`${shown.symbol} ${shown.timeframe}`}
          feed={shown.feed}
        >
          {(view) => <PriceChart desk={desk} symbol={shown.symbol} view={view} />}
        </Panel>
      )}
    </section>
  );
}

/** Until a symbol is known, there is none to show. */
function NoMarket({ desk }: { readonly desk: Desk }) {
  const { value: names } = desk.symbols.reading.value;
  return names === null ? <NotRead feed={desk.symbols} /> : <p class="none">The broker has no symbols.</p>;
}

interface PriceChartProps {
  readonly desk: Desk;
  readonly symbol: string;
  readonly view: MarketView;
}

function PriceChart({ desk, symbol, view }: PriceChartProps) {
  const [pointed, point] = useState<number | null>(null);
  const [window, setWindow] = useState(newestBars);
  const bars = useMemo(() => shownBars(view.bars, window), [view, window]);
  const deals = useMemo(() => dealsAt(view, bars), [view, bars]);
  const digits = desk.digits.of(symbol);
  const { value: positions } = desk.positions.reading.value;
  const { value: orders } = desk.orders.reading.value;
  const levels = useMemo(() => levelsOf(symbol, positions ?? [], orders ?? []), [symbol, positions, orders]);
  const times = useMemo(() => bars.map((bar) => bar.time_server), [bars]);
  const data = useMemo((): uPlot.AlignedData => {
    return [bars.map((_, index) => index), bars.map((bar) => bar.high), bars.map((bar) => bar.low)];
  }, [bars]);
  const decimals = digits ?? digitsOf(bars);
  const paint = useCallback(
    (area: PaintArea) => {
      paintLevels(area, levels);
      paintBars(area, bars);
      paintFills(area, deals, times);
      const close = bars.at(-1)?.close;
      if (close !== undefined) paintLast(area, close, close.toFixed(decimals));
    },
    [bars, deals, levels, times, decimals],
  );
  const last = bars.at(-1);
  if (last === undefined) return <p>The broker has no bars of this symbol.</p>;
  const label = `${symbol}: ${countText(bars.length, 'bar')}, last price ${priceText(last.close, digits)}, ${countText(deals.length, 'fill')}`;
  return (
    <>
      <div class="above-chart">
        <p class="readout">
          {barTexts(bars[pointed ?? -1] ?? last, decimals).map((text, index) => [
            index > 0 && '   ',
            <span>{text}</span>,
          ])}
        </p>
        <WindowButtons bars={view.bars} window={window} onChange={setWindow} />
      </div>
      <Movable bars={view.bars} window={window} onChange={setWindow}>
        <Chart
          {...{
            label,
            data,
            paint,
            height: matchMedia('(min-width: 64rem)').matches ? 460 : 340,
            lines: [null, null],
            onPointed: point,
          }}
          valueText={(value) => value.toFixed(decimals)}
          ticks={(most) => timeTicks(times, most)}
          range={() => priceRange(bars, levels)}
        />
      </Movable>
      <p class="note">{label}. ▲ bought, ▼ sold. Times are those of the broker&apos;s server, not UTC.</p>
    </>
  );
}

/** The deals of the time that is shown. */
function dealsAt({ bars, deals }: MarketView, shown: readonly FullBarRecord[]): readonly DealRecord[] {
  const next = bars[bars.findIndex((bar) => bar === shown.at(-1)) + 1];
  const [fromMs, toMs] = [(shown[0]?.time_server ?? 0) * 1_000, (next?.time_server ?? Infinity) * 1_000];
  return deals.filter(({ time_msc: at }) => at >= fromMs && at < toMs);
}

function barTexts({ time_server: time, open, high, low, close }: FullBarRecord, digits: number): readonly string[] {
  const at = new Date(time * 1_000).toISOString().slice(0, 16).replace('T', ' ');
  const prices = [open, high, low, close].map((price, index) => `${'OHLC'[index]} ${price.toFixed(digits)}`);
  return [at, ...prices];
}

function digitsOf(bars: readonly FullBarRecord[]): number {
  return Math.max(...bars.slice(-20).map(({ close }) => (String(close).split('.')[1] ?? '').length));
}
