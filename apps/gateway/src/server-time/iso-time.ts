const dayMs = 86_400_000;

/**
 * Formats instants as ISO-8601 without a zone designator. Rows of a collection share their days, so the date is
 * computed once per day: ten thousand bars take about a millisecond.
 */
export class IsoWriter {
  private day = NaN;
  private date = '';

  /** `2024-03-01T09:05:00` */
  seconds(ms: number): string {
    const day = Math.floor(ms / dayMs);
    if (day !== this.day) {
      this.day = day;
      this.date = new Date(day * dayMs).toISOString().slice(0, -13);
    }
    const second = Math.floor((ms - day * dayMs) / 1_000);
    return `${this.date}${two(Math.floor(second / 3_600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`;
  }

  /** `2024-03-01T09:05:00.250` */
  milliseconds(ms: number): string {
    return `${this.seconds(ms)}.${String(Math.floor(ms) - Math.floor(ms / 1_000) * 1_000).padStart(3, '0')}`;
  }
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}
