import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { dayText } from './chart-levels';

/** A canvas and where values are on it, in its pixels. */
export interface PaintArea {
  readonly canvas: CanvasRenderingContext2D;
  readonly ratio: number;
  readonly x: (place: number) => number;
  readonly y: (value: number) => number;
  /** The area itself, in pixels of the canvas. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A line of a chart: the name of its colour in the style sheet; null for values that only set the range. */
export type Line = { readonly colour: string; readonly isStepped?: boolean } | null;

interface ChartProps {
  /** What the chart shows, for those who do not see it. */
  readonly label: string;
  /** Places on the time axis, then one column for each line. */
  readonly data: uPlot.AlignedData;
  readonly lines: readonly Line[];
  readonly height: number;
  /** Text of a value beside the axis. */
  readonly valueText: (value: number) => string;
  /** Labels of places on the time axis, at most so many; without it, places are seconds of a clock. */
  readonly ticks?: (most: number) => ReadonlyMap<number, string>;
  readonly range?: () => readonly [low: number, high: number];
  readonly paint?: (area: PaintArea) => void;
  /** Called with the index of the point under the pointer; null where there is none. */
  readonly onPointed?: (index: number | null) => void;
}

const labelWidth = 80;

/** The value of a colour of the style sheet, which depends on the scheme of the browser. */
export function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Values over time. The time axis has the clock of the data: it converts nothing. */
export function Chart(props: ChartProps) {
  const { label, data, height } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const made = new uPlot(options(current.clientWidth, latest), data, current);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: current.clientWidth, height }));
    resized.observe(current);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const repaint = (): void => made.redraw();
    scheme.addEventListener('change', repaint);
    return () => {
      scheme.removeEventListener('change', repaint);
      resized.disconnect();
      made.destroy();
    };
  }, [height]);
  // Also what is painted over the lines may have changed.
  useEffect(() => plot.current?.setData(data), [data, props.paint]);
  return <div ref={box} class="chart" role="img" aria-label={label} />;
}

function options(width: number, latest: { readonly current: ChartProps }): uPlot.Options {
  const { height, lines, onPointed, ticks, range } = latest.current;
  const font = '12px system-ui, sans-serif';
  const grid = { stroke: () => colourOf('--rule'), width: 1 };
  const axis = { stroke: () => colourOf('--dim'), font, grid, ticks: { show: false } };
  const labels = (plot: uPlot): ReadonlyMap<number, string> =>
    latest.current.ticks?.(Math.floor(plot.width / labelWidth)) ?? new Map();
  const times: uPlot.Axis =
    ticks === undefined
      ? { values: (_, splits) => timeLabels(splits) }
      : {
          splits: (plot) => [...labels(plot).keys()],
          values: (plot, splits) => splits.map((place) => labels(plot).get(place) ?? ''),
        };
  return {
    width,
    height,
    legend: { show: false },
    // On the left, half of a label of the first place.
    padding: [8, 8, 0, 24],
    cursor:
      onPointed === undefined
        ? { show: false }
        : { points: { show: false }, drag: { x: false, y: false, setScale: false } },
    // Round steps of the axis are those of its own clock.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: { time: ticks === undefined, ...(ticks === undefined ? {} : { range: (_, from, to) => [from - 1, to + 1] }) },
      y: { range: (_, low, high) => (range === undefined ? rangeOf(low, high) : pair(latest.current.range?.())) },
    },
    axes: [
      { ...axis, space: labelWidth, size: ticks === undefined ? 42 : 30, ...times },
      {
        ...axis,
        side: 1,
        size: (_, values) => axisWidth(values ?? []),
        gap: 6,
        values: (_, values) => values.map((value) => latest.current.valueText(value)),
      },
    ],
    series: [{}, ...lines.map(seriesOf)],
    hooks: {
      draw: [(plot) => paintOver(plot, latest.current.paint)],
      setCursor: [(plot) => latest.current.onPointed?.(plot.cursor.idx ?? null)],
    },
  };
}

/** Pixels for the longest label of the axis of values: an account of yen has nine digits. */
function axisWidth(labels: readonly string[]): number {
  return Math.max(70, 18 + 7 * Math.max(0, ...labels.map(({ length }) => length)));
}

/** The library remembers the colours that it set last, so that a painter has to leave them as they were. */
function paintOver(plot: uPlot, paint: ChartProps['paint']): void {
  plot.ctx.save();
  paint?.(areaOf(plot));
  plot.ctx.restore();
}

/** A tenth of the difference stays free above and below. A value that never changes is in the middle of a part of itself. */
function rangeOf(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  if (low !== high) return numbers(uPlot.rangeNum(low, high, 0.1, true));
  const free = Math.max(Math.abs(low) / 100, 1);
  return [low - free, high + free];
}

function numbers([low, high]: uPlot.Range.MinMax): [number, number] {
  return [low ?? 0, high ?? 1];
}

function pair(range: readonly [number, number] | undefined): [number, number] {
  return [range?.[0] ?? 0, range?.[1] ?? 1];
}

/** Times of day, with the date below the first one of each day; dates alone where each is another day. */
function timeLabels(seconds: readonly number[]): string[] {
  const isOfDays = seconds.every((at) => at % 86_400 === 0);
  return seconds.map((at, index) => {
    const time = new Date(at * 1_000).toISOString().slice(11, 19).replace(/:00$/, '');
    const before = seconds[index - 1];
    if (isOfDays) return dayText(at);
    const isNewDay = before === undefined || Math.floor(before / 86_400) !== Math.floor(at / 86_400);
    return isNewDay ? `${time}\n${dayText(at)}` : time;
  });
}

function seriesOf(line: Line): uPlot.Series {
  if (line === null) return { paths: () => null, points: { show: false } };
  const { colour, isStepped = false } = line;
  const stepped = isStepped ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
  return {
    stroke: () => colourOf(colour),
    width: 1.5,
    points: { show: false },
    spanGaps: isStepped,
    ...(stepped === undefined ? {} : { paths: stepped }),
  };
}

function areaOf(plot: uPlot): PaintArea {
  return {
    canvas: plot.ctx,
    ratio: uPlot.pxRatio,
    ...plot.bbox,
    x: (place) => plot.valToPos(place, 'x', true),
    y: (value) => plot.valToPos(value, 'y', true),
  };
}
