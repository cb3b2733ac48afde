import uPlot from 'uplot';
import type { Canvas, PageElement } from './dom';
import { shownRange } from './plot';
import type { TradingTime } from './trading-time';

/** The value null is a gap in the line. */
type Points = readonly (readonly [time: number, ...values: (number | null)[]])[];

export interface ChartLine {
  /** Name of the colour in the style of the page. */
  readonly colour: string;
  readonly isDashed?: boolean;
  /** Whether a value that is not known interrupts the line. */
  readonly hasGaps?: boolean;
  /** The area between the line and this value; `lowest` is the lower edge of the chart. */
  readonly filledTo?: number | 'lowest';
}

interface ChartOptions {
  readonly height: number;
  /** Text of a value of the axis, given the distance of its labels. */
  readonly valueText: (value: number, apart: number) => string;
  /** UTC milliseconds at the time 0 of all points. */
  readonly startMs: number;
  /** What the time axis leaves out. */
  readonly trading: TradingTime;
  readonly colourOf: (name: string) => string;
  /** A value that is always in view. */
  readonly includes?: number;
  /** What is drawn over the axes; lines are drawn by the chart itself. */
  readonly paint?: (area: PaintArea) => void;
}

/** The area of a chart in the pixels of its canvas. */
export interface PaintArea {
  readonly canvas: Canvas;
  readonly width: number;
  readonly ratio: number;
  readonly x: (time: number) => number;
  readonly y: (value: number) => number;
}

const axisWidth = 64;
const timeWidth = 88;
const font = '12px system-ui,sans-serif';

/** Lines over the time of trading, with axes of round values. Times are seconds since the start of the data. */
export class TimeChart {
  private readonly plot: uPlot;
  private view: readonly [from: number, to: number] = [0, 0];

  /** @param lines the points of each line, whose first value is shown; null for points that only set the range */
  constructor(
    private readonly box: PageElement,
    lines: readonly (readonly [points: Points, line: ChartLine | null])[],
    private readonly options: ChartOptions,
  ) {
    const { height, valueText, colourOf, trading } = options;
    const grid = { stroke: () => colourOf('--rule'), width: 1 };
    const axis = { stroke: () => colourOf('--dim'), font, grid, ticks: { show: false } };
    const columns = lines.map(([points]): uPlot.AlignedData => [
      points.map(([time]) => trading.placeOf(time)),
      points.map((row) => row[1] ?? null),
    ]);
    this.plot = new uPlot(
      {
        width: this.width,
        height,
        legend: { show: false },
        padding: [8, 22, 0, 0],
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false, setScale: false } },
        scales: { x: { time: false }, y: { range: (_, low, high) => this.range(low, high) } },
        axes: [
          {
            ...axis,
            size: 30,
            gap: 6,
            splits: (_, _axis, from, to) => this.ticks(from, to).map(([place]) => place),
            values: (_, places) => this.labels(places),
          },
          {
            ...axis,
            size: axisWidth,
            gap: 6,
            space: height < 150 ? 22 : 36,
            values: (_, values, _axis, _space, apart) => values.map((value) => valueText(value, apart)),
          },
        ],
        series: [{}, ...lines.map(([, line]) => this.seriesOf(line))],
        hooks: { draw: [(plot) => this.paint(plot)] },
      },
      uPlot.join(columns),
      box,
    );
  }

  /** Shows a part of the time, with the cursor at a time within it. */
  show(from: number, to: number, cursor: number): void {
    const { plot, options } = this;
    if (plot.width !== this.width) plot.setSize({ width: this.width, height: options.height });
    const [before, until] = this.view;
    if (before !== from || until !== to) {
      this.view = [from, to];
      plot.setScale('x', { min: options.trading.placeOf(from), max: options.trading.placeOf(to) });
    }
    plot.setCursor({ left: plot.valToPos(options.trading.placeOf(cursor), 'x'), top: 0 }, false);
  }

  /** Draws it again, in the colours that the page has now. */
  repaint(): void {
    this.plot.redraw();
  }

  /** The time at a place of the window. */
  timeAt(clientX: number): number {
    const { left } = this.box.getBoundingClientRect();
    return this.options.trading.timeAt(this.plot.posToVal(clientX - left - axisWidth, 'x'));
  }

  private get width(): number {
    return Math.max(200, Math.floor(this.box.getBoundingClientRect().width));
  }

  private range(low: number, high: number): [number, number] {
    return shownRange(low, high, this.options.includes);
  }

  private ticks(from: number, to: number): readonly (readonly [place: number, text: string])[] {
    const { trading, startMs } = this.options;
    return trading.ticks(from, to, Math.floor((this.width - axisWidth) / timeWidth), startMs / 1_000);
  }

  private labels(places: readonly number[]): string[] {
    const { min = 0, max = 0 } = this.plot.scales['x'] ?? {};
    const texts = new Map(this.ticks(min, max));
    return places.map((place) => texts.get(place) ?? '');
  }

  private seriesOf(line: ChartLine | null): uPlot.Series {
    if (line === null) return { paths: () => null, points: { show: false } };
    const { colour, isDashed = false, filledTo, hasGaps = false } = line;
    const stroke = (): string => this.options.colourOf(colour);
    const lowest = (plot: uPlot): number => plot.scales['y']?.min ?? 0;
    return {
      stroke,
      width: isDashed ? 1 : 1.75,
      spanGaps: !hasGaps,
      points: { show: false },
      ...(isDashed ? { dash: [5, 4] } : {}),
      ...(filledTo === undefined
        ? {}
        : {
            fill: () => `${stroke()}26`,
            fillTo: (plot: uPlot) => (filledTo === 'lowest' ? lowest(plot) : filledTo),
          }),
    };
  }

  private paint(plot: uPlot): void {
    const { paint, trading } = this.options;
    if (!paint) return;
    const context: unknown = plot.ctx;
    const canvas = context as Canvas;
    const { left, top, width, height } = plot.bbox;
    canvas.save();
    canvas.beginPath();
    canvas.rect(left, top, width, height);
    canvas.clip();
    paint({
      canvas,
      width,
      ratio: uPlot.pxRatio,
      x: (time) => plot.valToPos(trading.placeOf(time), 'x', true),
      y: (value) => plot.valToPos(value, 'y', true),
    });
    canvas.restore();
  }
}
