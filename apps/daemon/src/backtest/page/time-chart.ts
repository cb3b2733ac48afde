import uPlot from 'uplot';
import type { Canvas, PageElement } from './dom';

type Points = readonly (readonly [time: number, ...values: number[]])[];

export interface ChartLine {
  /** Name of the colour in the style of the page. */
  readonly colour: string;
  readonly isDashed?: boolean;
}

interface ChartOptions {
  readonly height: number;
  readonly digits: number;
  /** UTC milliseconds at the time 0 of all points. */
  readonly startMs: number;
  readonly colourOf: (name: string) => string;
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

const axisWidth = 76;
const timeWidth = 90;
const daySeconds = 86_400;

/** Labels of the time axis in UTC: dates, or times with the date where a day begins. */
function timeLabels(seconds: readonly number[], step: number): string[] {
  const texts = seconds.map((at) => new Date(at * 1_000).toISOString());
  return texts.map((text, index) => {
    const date = text.slice(0, 10);
    if (step >= daySeconds) return date;
    return texts[index - 1]?.slice(0, 10) === date ? text.slice(11, 16) : `${text.slice(11, 16)}\n${date}`;
  });
}

/** Lines over time, with axes of round values. Times are seconds since the start of the data. */
export class TimeChart {
  private readonly plot: uPlot;
  private view: readonly [from: number, to: number] = [0, 0];

  /** @param lines the points of each line, whose first value is shown; null for points that only set the range */
  constructor(
    private readonly box: PageElement,
    lines: readonly (readonly [points: Points, line: ChartLine | null])[],
    private readonly options: ChartOptions,
  ) {
    const { height, digits, colourOf } = options;
    const axis = { stroke: () => colourOf('--dim'), grid: { stroke: () => colourOf('--rule'), width: 1 } };
    const columns = lines.map(([points]) => [
      points.map(([time]) => this.axisTime(time)),
      points.map((row) => row[1] ?? 0),
    ]);
    this.plot = new uPlot(
      {
        ...{ width: this.width, height, legend: { show: false } },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false, setScale: false } },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
        scales: { x: { time: true } },
        axes: [
          { ...axis, space: timeWidth, values: (_, splits, _axis, _space, step) => timeLabels(splits, step) },
          { ...axis, size: axisWidth, values: (_, values) => values.map((value) => value.toFixed(digits)) },
        ],
        series: [{}, ...lines.map(([, line]) => this.seriesOf(line))],
        hooks: { draw: [(plot) => this.paint(plot)] },
      },
      uPlot.join(columns.map(([times = [], values = []]): uPlot.AlignedData => [times, values])),
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
      plot.setScale('x', { min: this.axisTime(from), max: this.axisTime(to) });
    }
    plot.setCursor({ left: plot.valToPos(this.axisTime(cursor), 'x'), top: 0 }, false);
  }

  /** Draws it again, in the colours that the page has now. */
  repaint(): void {
    this.plot.redraw();
  }

  /** The time at a place of the window. */
  timeAt(clientX: number): number {
    const { left } = this.box.getBoundingClientRect();
    return this.plot.posToVal(clientX - left - axisWidth, 'x') - this.options.startMs / 1_000;
  }

  private get width(): number {
    return Math.max(200, Math.floor(this.box.getBoundingClientRect().width));
  }

  private axisTime(time: number): number {
    return this.options.startMs / 1_000 + time;
  }

  private seriesOf(line: ChartLine | null): uPlot.Series {
    if (line === null) return { paths: () => null, points: { show: false } };
    const { colour, isDashed = false } = line;
    const stroke = (): string => this.options.colourOf(colour);
    return { stroke, width: 1.5, spanGaps: true, points: { show: false }, ...(isDashed ? { dash: [5, 4] } : {}) };
  }

  private paint(plot: uPlot): void {
    const { paint } = this.options;
    if (!paint) return;
    const context: unknown = plot.ctx;
    const canvas = context as Canvas;
    const { left, top, width, height } = plot.bbox;
    canvas.save();
    canvas.beginPath();
    canvas.rect(left, top, width, height);
    canvas.clip();
    paint({
      ...{ canvas, width, ratio: uPlot.pxRatio },
      x: (time) => plot.valToPos(this.axisTime(time), 'x', true),
      y: (value) => plot.valToPos(value, 'y', true),
    });
    canvas.restore();
  }
}
