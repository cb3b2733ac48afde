const newline = 0x0a;

/** Splits a stream of bytes into lines, regardless of chunk boundaries. */
export class LineReader {
  private parts: Buffer[] = [];
  private heldBytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly onLine: (line: string) => void,
  ) {}

  /** Adds the next bytes; false if a line is longer than allowed, after which the stream is unusable. */
  push(chunk: Buffer): boolean {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      if (this.heldBytes + end - start > this.maxBytes) return false;
      this.emit(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) {
      this.parts.push(chunk.subarray(start));
      this.heldBytes += chunk.length - start;
    }
    return this.heldBytes <= this.maxBytes;
  }

  private emit(tail: Buffer): void {
    const line = this.parts.length === 0 ? tail : Buffer.concat([...this.parts, tail]);
    this.parts = [];
    this.heldBytes = 0;
    this.onLine(line.toString('utf8'));
  }
}
