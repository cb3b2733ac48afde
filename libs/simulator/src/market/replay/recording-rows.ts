import { RecordingError } from './recording-error';

/** One of the known forms of a price file. */
export interface Shape {
  /** Its first line; null for a file without one. */
  readonly header: string | null;
  readonly columns: 2 | 4;
  /** The instant of a row's first field, in UTC milliseconds; NaN when it is none. */
  readonly timeOf: (text: string) => number;
  /** Whether {@link timeOf} reads `YYYY-MM-DD hh:mm:ss` as UTC: then most rows are read without making texts of them. */
  readonly isIso: boolean;
}

const [newline, plus, comma, point, zero, nine, colon] = [10, 43, 44, 46, 48, 57, 58];
/** Digits of a number that a double holds exactly, whatever they are. */
const mostDigits = 15;
/** Milliseconds of the digits after the point of a second. */
const millis = [100, 10, 1];
const powers = Array.from({ length: mostDigits + 1 }, (_, digits) => 10 ** digits);

/** Reads the rows of a price file, a piece of the file at a time. */
export class RecordingRows {
  private count = 0;
  private line: number;
  /** The first of the lines without text at the end of what was read so far. */
  private blankLine: number | null = null;
  private times: Float64Array;
  private prices: Float64Array[];
  private readonly row: number[];
  /** First bytes of the last row's time, and the start of its day: most rows are of the day of the row before. */
  private readonly date = new Uint8Array(10);
  private dayMs = Number.NaN;
  /** Where the next field begins. */
  private at = 0;

  /**
   * @param name of the file, for messages
   * @param capacity rows to make room for at first
   */
  constructor(
    private readonly name: string,
    private readonly shape: Shape,
    capacity: number,
  ) {
    this.line = shape.header === null ? 0 : 1;
    this.row = Array.from({ length: shape.columns }, () => 0);
    this.times = new Float64Array(capacity);
    this.prices = this.row.map(() => new Float64Array(capacity));
  }

  /**
   * Takes the whole lines of a piece; the first line is the header where there is one.
   * @returns where the line begins that is not whole; it is to come again with the rest of it
   * @throws RecordingError for a malformed line, times that go back, and bars that cannot be
   */
  take(bytes: Buffer): number {
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      this.takeLine(bytes, start, end);
      start = end + 1;
    }
    return start;
  }

  /** Takes the last line, which has no end. @throws as {@link take} */
  takeLast(bytes: Buffer): void {
    this.takeLine(bytes, 0, bytes.length);
  }

  /** The columns of all rows. */
  columns(): { readonly times: Float64Array; readonly prices: readonly Float64Array[] } {
    const all = (column: Float64Array): Float64Array => column.subarray(0, this.count);
    return { times: all(this.times), prices: this.prices.map(all) };
  }

  private takeLine(bytes: Buffer, start: number, end: number): void {
    const line = this.line++;
    const time = this.readFast(bytes, start, end);
    if (time !== null) return this.add(line, time);
    const text = bytes.toString('utf8', start, end);
    if (text.trim() === '') {
      this.blankLine ??= line;
      return;
    }
    this.add(line, this.readText(line, text));
  }

  /** Reads a row without making texts of its fields. @returns its time; null for a row that {@link readText} has to read */
  private readFast(bytes: Buffer, start: number, end: number): number | null {
    const time = this.shape.isIso ? this.fastTime(bytes, start, end) : null;
    if (time === null) return null;
    for (let column = 0; column < this.row.length; column++) {
      const price = this.fastPrice(bytes, end);
      if (price === null) return null;
      this.row[column] = price;
    }
    return time;
  }

  private fastTime(bytes: Buffer, start: number, end: number): number | null {
    if (end - start < 20) return null;
    let at = start + 19;
    let [fractionMs, places] = [0, 0];
    if (bytes[at] === point) {
      for (at++; isDigit(bytes[at]); at++) if (places < 3) fractionMs += digitOf(bytes, at) * (millis[places++] ?? 0);
      if (places === 0) return null;
    }
    // `Z` or `+00:00`
    if (bytes[at] === 90) at++;
    else if (bytes[at] === plus && isNoOffset(bytes, at + 1)) at += 6;
    if (bytes[at] !== comma || bytes[start + 13] !== colon || bytes[start + 16] !== colon) return null;
    const second = two(bytes, start + 11) * 3_600 + two(bytes, start + 14) * 60 + two(bytes, start + 17);
    if (Number.isNaN(second)) return null;
    if (!this.isSameDate(bytes, start)) {
      this.date.set(bytes.subarray(start, start + 10));
      this.dayMs = this.shape.timeOf(`${bytes.toString('latin1', start, start + 10)} 00:00:00`);
    }
    this.at = at + 1;
    return Number.isNaN(this.dayMs) ? null : this.dayMs + second * 1_000 + fractionMs;
  }

  private isSameDate(bytes: Buffer, start: number): boolean {
    for (let at = 9; at >= 0; at--) if (bytes[start + at] !== this.date[at]) return false;
    return true;
  }

  /** The number in the next field, if it is made of digits and perhaps a point. */
  private fastPrice(bytes: Buffer, end: number): number | null {
    let [digits, value, behind] = [0, 0, -1];
    let at = this.at;
    for (; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte >= zero && byte <= nine) {
        value = value * 10 + byte - zero;
        digits++;
        if (behind >= 0) behind++;
      } else if (byte === point && behind < 0) behind = 0;
      else break;
    }
    if (digits === 0 || digits > mostDigits) return null;
    // A line may end with a carriage return.
    if (at < end && bytes[at] !== comma && !(bytes[at] === 13 && at === end - 1)) return null;
    this.at = at + 1;
    // Both are whole numbers that a double holds, so the quotient is the double nearest to the text.
    return behind > 0 ? value / (powers[behind] ?? 1) : value;
  }

  private readText(line: number, text: string): number {
    const fields = text.split(',');
    const time = this.shape.timeOf((fields[0] ?? '').trim());
    for (let column = 0; column < this.row.length; column++) this.row[column] = Number(fields[column + 1]);
    if (Number.isNaN(time)) throw this.malformed(line, 'no time');
    return time;
  }

  private add(line: number, time: number): void {
    if (this.blankLine !== null) throw this.malformed(this.blankLine, 'no time');
    const previous = this.count === 0 ? Number.NEGATIVE_INFINITY : (this.times[this.count - 1] ?? 0);
    if (time < previous) throw this.malformed(line, 'a time that goes back');
    const isBar = this.row.length === 4;
    if (isBar && time === previous) throw this.malformed(line, 'the time of the line before');
    if (this.count === this.times.length) this.grow();
    this.times[this.count] = time;
    for (let column = 0; column < this.row.length; column++) {
      const price = this.row[column] ?? 0;
      if (!(price > 0) || !Number.isFinite(price)) throw this.malformed(line, 'no price');
      const values = this.prices[column];
      if (values) values[this.count] = price;
    }
    if (isBar) this.checkBar(line);
    this.count++;
  }

  /** @throws RecordingError for a bar whose open, low or close lies outside of its range */
  private checkBar(line: number): void {
    const [open = 0, high = 0, low = 0, close = 0] = this.row;
    if (high < low) throw this.malformed(line, 'a high below its low');
    if (open > high || close > high || open < low || close < low) {
      throw this.malformed(line, 'an open or a close outside of its high and low');
    }
  }

  private grow(): void {
    const wider = (column: Float64Array): Float64Array => {
      const copy = new Float64Array(Math.max(64, column.length * 2));
      copy.set(column);
      return copy;
    };
    this.times = wider(this.times);
    this.prices = this.prices.map(wider);
  }

  private malformed(line: number, what: string): RecordingError {
    return new RecordingError(`${this.name}: line ${line + 1} has ${what}`);
  }
}

function isDigit(byte = 0): boolean {
  return byte >= zero && byte <= nine;
}

function digitOf(bytes: Buffer, at: number): number {
  return (bytes[at] ?? 0) - zero;
}

/** Whether `00:00` stands at a place. */
function isNoOffset(bytes: Buffer, at: number): boolean {
  return two(bytes, at) === 0 && bytes[at + 2] === colon && two(bytes, at + 3) === 0;
}

/** Two digits as a number; NaN when they are none. */
function two(bytes: Buffer, at: number): number {
  const [tens, ones] = [(bytes[at] ?? 0) - zero, (bytes[at + 1] ?? 0) - zero];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}
