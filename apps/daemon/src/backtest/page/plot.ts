/** Width of a plot on a phone, in pixels. */
const phonePlot = 270;

/** Where values of time and of something else are on a picture. */
export class Plot {
  constructor(
    readonly width: number,
    readonly height: number,
    readonly from: number,
    readonly to: number,
    readonly low: number,
    readonly high: number,
  ) {}

  static over(values: readonly number[], width: number, height: number, from: number, to: number): Plot {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
    if (low > high) [low, high] = [0, 1];
    const margin = (high - low) * 0.05 || Math.abs(high) * 0.001 || 1;
    return new Plot(width, height, from, to, low - margin, high + margin);
  }

  x(time: number): number {
    return ((time - this.from) / (this.to - this.from || 1)) * this.width;
  }

  y(value: number): number {
    return this.height - ((value - this.low) / (this.high - this.low)) * this.height;
  }

  /**
   * A picture that takes the width of its place, with lines behind it, and labels beside and below it, whose size stays.
   * @param title what it shows, for those who do not see it
   * @param times that have a label: the middles of equal parts by default
   */
  framed(
    title: string,
    picture: string,
    valueText: (value: number, apart: number) => string,
    timeText: (time: number) => string,
    times: readonly number[] = this.middles(),
  ): string {
    const { width, height } = this;
    const values = roundValues(this.low, this.high);
    const y = (value: number): string => this.y(value).toFixed(1);
    const lines = values.map((value) => `<line class="grid" x1="0" x2="${width}" y1="${y(value)}" y2="${y(value)}"/>`);
    const apart = (values[1] ?? 1) - (values[0] ?? 0);
    const beside = values.map(
      (value) => `<span class="value" style="top:${percent(this.y(value), height)}">${valueText(value, apart)}</span>`,
    );
    const texts = times.map(timeText);
    const below = times.map((time, index) => {
      // On a phone, the others take the place of this one.
      const isSpare = index % stepOnAPhone(texts) !== 0;
      return `<span class="time${isSpare ? ' spare' : ''}" style="left:${percent(this.x(time), width)}">${texts[index]}</span>`;
    });
    return (
      `<div class="plot"><div class="area"><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" ` +
      `aria-label="${title}">${lines.join('')}${picture}</svg>${beside.join('')}</div><div class="times">${below.join('')}</div></div>`
    );
  }

  private middles(): readonly number[] {
    return Array.from({ length: 5 }, (_, index) => this.from + ((this.to - this.from) * (index + 0.5)) / 5);
  }

  /** A dot at each point, for points that are few. */
  dots(points: readonly (readonly [number, number])[], name: string): string {
    const places = points.map(([time, value]) => `M${this.x(time).toFixed(1)},${this.y(value).toFixed(1)}h0`);
    return `<path class="dots ${name}" d="${places.join('')}"/>`;
  }

  line(points: readonly (readonly [number, number])[], name: string): string {
    const most = this.width * 2;
    const step = Math.max(1, Math.ceil(points.length / most));
    const shown = points.filter((_, index) => index % step === 0 || index === points.length - 1);
    return `<polyline class="${name}" points="${shown.map(([time, value]) => `${this.x(time).toFixed(1)},${this.y(value).toFixed(1)}`).join(' ')}"/>`;
  }
}

/** Every how many labels there is room for one, in letters of some 7 pixels. */
function stepOnAPhone(texts: readonly string[]): number {
  const longest = Math.max(0, ...texts.map(({ length }) => length));
  return Math.max(1, Math.ceil((texts.length * (longest + 1) * 7) / phonePlot));
}

function percent(place: number, whole: number): string {
  return `${((place / whole) * 100).toFixed(2)}%`;
}

/** Values between two others that are multiples of 1, 2 or 5 times a power of ten: two to six of them. */
export function roundValues(low: number, high: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10((high - low) / 2));
  const step = power * (high - low >= 10 * power ? 5 : high - low >= 5 * power ? 2 : 1);
  const [first, last] = [Math.ceil(low / step), Math.floor(high / step)];
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** Share of the height that stays free above and below the values. */
const margin = 0.06;

/**
 * The values that a chart shows. What it always includes is an edge where all values are on one side of it, unless all values are the
 * same: that line is in the middle, and one at 0 at the upper edge, as a drawdown has it.
 */
export function shownRange(low: number, high: number, includes: number | undefined): [number, number] {
  const [least, most] = includes === undefined ? [low, high] : [Math.min(low, includes), Math.max(high, includes)];
  const free = (most - least) * margin || Math.abs(most) * 0.001 || 1;
  if (least === most) return [least - free, most === 0 ? most : most + free];
  return [least === includes ? least : least - free, most === includes ? most : most + free];
}
