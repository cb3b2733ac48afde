import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

/** A canvas and where values are on it, in its pixels. */
export interface PaintArea {
  readonly canvas: CanvasRenderingContext2D;
  readonly ratio: number;
  readonly x: (seconds: number) => number;
  readonly y: (value: number) => number;
  /** Width of the area in pixels of the canvas. */
  readonly width: number;
}

/** A line of a chart: the name of its colour in the style sheet; null for values that only set the range. */
export type Line = { readonly colour: string; readonly isStepped?: boolean } | null;

interface ChartProps {
  /** What the chart shows, for those who do not see it. */
  readonly label: string;
  /** Seconds, then one column for each line. */
  readonly data: uPlot.AlignedData;
  readonly lines: readonly Line[];
  readonly digits: number;
  readonly paint?: (area: PaintArea) => void;
}

const height = 260;

/** The value of a colour of the style sheet, which depends on the scheme of the browser. */
export function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Values over time. The time axis has the clock of the data: it converts nothing. */
export function Chart({ label, data, lines, digits, paint }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const painter = useRef(paint);
  painter.current = paint;
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const made = new uPlot(options(current.clientWidth, lines, digits, painter), data, current);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: current.clientWidth, height }));
    resized.observe(current);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [digits]);
  useEffect(() => plot.current?.setData(data), [data]);
  return <div ref={box} class="chart" role="img" aria-label={label} />;
}

function options(
  width: number,
  lines: readonly Line[],
  digits: number,
  painter: { readonly current: ((area: PaintArea) => void) | undefined },
): uPlot.Options {
  const axis = { stroke: () => colourOf('--dim'), grid: { stroke: () => colourOf('--rule'), width: 1 } };
  return {
    ...{ width, height, legend: { show: false }, cursor: { show: false } },
    // Round steps of the axis are those of its own clock.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    axes: [
      { ...axis, space: 80, values: (_, splits) => timeLabels(splits) },
      { ...axis, size: 76, values: (_, values) => values.map((value) => value.toFixed(digits)) },
    ],
    series: [{}, ...lines.map(seriesOf)],
    hooks: { draw: [(plot) => painter.current?.(areaOf(plot))] },
  };
}

/** Times of day, with the date below the first one of each day. */
function timeLabels(seconds: readonly number[]): string[] {
  const texts = seconds.map((at) => new Date(at * 1_000).toISOString());
  return texts.map((text, index) => {
    const [date, time] = [text.slice(0, 10), text.slice(11, 19).replace(/:00$/, '')];
    return texts[index - 1]?.slice(0, 10) === date ? time : `${time}\n${date}`;
  });
}

function seriesOf(line: Line): uPlot.Series {
  if (line === null) return { paths: () => null, points: { show: false } };
  const { colour, isStepped = false } = line;
  const stepped = isStepped ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
  return {
    ...{ stroke: () => colourOf(colour), width: 1.5, points: { show: false }, spanGaps: isStepped },
    ...(stepped === undefined ? {} : { paths: stepped }),
  };
}

function areaOf(plot: uPlot): PaintArea {
  return {
    ...{ canvas: plot.ctx, ratio: uPlot.pxRatio, width: plot.bbox.width },
    x: (seconds) => plot.valToPos(seconds, 'x', true),
    y: (value) => plot.valToPos(value, 'y', true),
  };
}
