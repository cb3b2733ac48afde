import { createHash, type Hash } from 'node:crypto';
import type { VirtualTime } from './virtual-time';

/** What happened in a run, line by line. Two runs differ if the digests of all lines do; only the last lines are kept. */
export class Trace {
  private readonly hash: Hash = createHash('sha256');
  private readonly last: string[] = [];
  lines = 0;

  /** @param kept how many lines are kept */
  constructor(
    private readonly time: VirtualTime,
    private readonly kept: number,
  ) {}

  write(text: string): void {
    const line = `${(this.time.elapsedMs / 1_000).toFixed(3).padStart(10)}  ${text}`;
    this.hash.update(`${line}\n`);
    this.lines += 1;
    this.last.push(line);
    if (this.last.length > 2 * this.kept) this.last.splice(0, this.kept);
  }

  get digest(): string {
    return this.hash.copy().digest('hex');
  }

  get lastLines(): readonly string[] {
    return this.last.slice(-this.kept);
  }
}
