import type { Clock } from '@libs/clock';
import { duration } from '@libs/command-line';
import type { SetOutcome } from '../optimize/set-run';
import type { SweepProgress } from '../optimize/sweep';

interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Writes how far a search is and how long the rest takes; nothing if the output is not a terminal. */
export class SearchProgress implements SweepProgress {
  private readonly startMs: number;
  private done = 0;
  private kept = 0;
  private failed = 0;
  private lastLength = 0;

  constructor(
    private readonly total: number,
    private readonly out: Terminal,
    private readonly clock: Clock,
  ) {
    this.startMs = clock.monotonicMs();
  }

  note(outcome: SetOutcome, wasKept: boolean): void {
    this.done++;
    if (wasKept) this.kept++;
    if ('error' in outcome) this.failed++;
    this.draw(this.text());
  }

  /** Removes the line. */
  clear(): void {
    this.draw('');
    if (this.out.isTTY) this.out.write('\r');
  }

  private text(): string {
    const { done, kept, failed, total } = this;
    const run = done - kept;
    // Outcomes of an earlier run took no time in this one.
    const leftMs = run === 0 ? null : ((this.clock.monotonicMs() - this.startMs) / run) * (total - done);
    const rest = leftMs === null ? '' : `, ${duration(leftMs)} left`;
    return `${done} of ${total} runs${failed === 0 ? '' : `, ${failed} failed`}${rest}`;
  }

  private draw(text: string): void {
    if (!this.out.isTTY) return;
    this.out.write(`\r${text.padEnd(this.lastLength)}`);
    this.lastLength = text.length;
  }
}
