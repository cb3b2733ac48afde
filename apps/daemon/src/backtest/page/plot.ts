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
    return ((time - this.from) / Math.max(1, this.to - this.from)) * this.width;
  }

  y(value: number): number {
    return this.height - 18 - ((value - this.low) / (this.high - this.low)) * (this.height - 22);
  }

  /**
   * A picture with lines behind it and labels of values and of times before it.
   * @param times that have a label: the middles of equal parts by default
   */
  framed(
    picture: string,
    valueText: (value: number) => string,
    timeText: (time: number) => string,
    times: readonly number[] = this.middles(),
  ): string {
    const values = roundValues(this.low, this.high);
    const y = (value: number): string => this.y(value).toFixed(1);
    const lines = values.map(
      (value) => `<line class="grid" x1="0" x2="${this.width}" y1="${y(value)}" y2="${y(value)}"/>`,
    );
    const labels = values.map((value) => `<text x="2" y="${Number(y(value)) - 3}">${valueText(value)}</text>`);
    const below = times.map((time) => {
      return `<text class="time" x="${this.x(time).toFixed(1)}" y="${this.height - 4}">${timeText(time)}</text>`;
    });
    return [...lines, picture, ...labels, ...below].join('');
  }

  private middles(): readonly number[] {
    const count = this.width < 500 ? 2 : 5;
    return Array.from({ length: count }, (_, index) => this.from + ((this.to - this.from) * (index + 0.5)) / count);
  }

  line(points: readonly (readonly [number, number])[], name: string): string {
    const most = this.width * 2;
    const step = Math.max(1, Math.ceil(points.length / most));
    const shown = points.filter((_, index) => index % step === 0 || index === points.length - 1);
    return `<polyline class="${name}" points="${shown.map(([time, value]) => `${this.x(time).toFixed(1)},${this.y(value).toFixed(1)}`).join(' ')}"/>`;
  }
}

/** Values between two others that are multiples of 1, 2 or 5 times a power of ten: two to six of them. */
export function roundValues(low: number, high: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10((high - low) / 2));
  const step = power * (high - low >= 10 * power ? 5 : high - low >= 5 * power ? 2 : 1);
  const [first, last] = [Math.ceil(low / step), Math.floor(high / step)];
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}
