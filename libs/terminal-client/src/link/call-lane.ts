import type { Clock } from '@libs/clock';

/** One call on its way to the terminal. */
export interface LaneCall {
  readonly kind: 'read' | 'send';
  /** How long a send may wait; one that waited longer is never begun, its sender has given up on it. */
  readonly maxWaitMs?: number;
  readonly run: () => Promise<void>;
  /** Said instead of `run` when the call is not begun. */
  readonly drop: (why: 'busy' | 'expired') => void;
}

interface Waiting {
  readonly call: LaneCall;
  readonly sinceMs: number;
}

/**
 * The one lane to a terminal that takes one call at a time. Sends overtake waiting reads, never a running one; reads beyond
 * the bound are turned away at once.
 */
export class CallLane {
  private readonly reads: Waiting[] = [];
  private readonly sends: Waiting[] = [];
  private running = false;

  constructor(
    private readonly clock: Clock,
    private readonly maxWaiting: number,
  ) {}

  push(call: LaneCall): void {
    const queue = call.kind === 'send' ? this.sends : this.reads;
    if (queue.length >= this.maxWaiting) return call.drop('busy');
    queue.push({ call, sinceMs: this.clock.monotonicMs() });
    if (!this.running) void this.drain();
  }

  /** Forgets what has not begun: whoever asked is gone. */
  clear(): void {
    this.reads.length = 0;
    this.sends.length = 0;
  }

  private async drain(): Promise<void> {
    this.running = true;
    for (let next = this.take(); next; next = this.take()) {
      const { call, sinceMs } = next;
      if (call.maxWaitMs !== undefined && this.clock.monotonicMs() - sinceMs >= call.maxWaitMs) call.drop('expired');
      else await call.run();
    }
    this.running = false;
  }

  private take(): Waiting | undefined {
    return this.sends.shift() ?? this.reads.shift();
  }
}
