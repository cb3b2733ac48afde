import type { Clock } from '@libs/clock';

/** One call to the terminal. */
export interface LaneCall {
  readonly kind: 'read' | 'send';
  /** How long a send may wait; after that it is never started, because its caller has given up. */
  readonly maxWaitMs?: number;
  readonly run: () => Promise<void>;
  /** Called instead of `run` if the call is not started. */
  readonly drop: (why: 'busy' | 'expired') => void;
}

interface Waiting {
  readonly call: LaneCall;
  readonly sinceMs: number;
}

/**
 * The queue of a terminal that accepts one call at a time. Sends overtake waiting reads, never a running one; reads
 * beyond the bound are rejected at once.
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

  /** Drops calls that have not started, because their caller is gone. */
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
