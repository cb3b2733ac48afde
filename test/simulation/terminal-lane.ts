import type { VirtualTime } from './virtual-time';

export interface LaneCall {
  /** A call that waited longer is not begun: its sender has given up on it. */
  readonly maxWaitMs: number;
  readonly run: () => Promise<void>;
  readonly expired: () => void;
}

/** The terminal takes one call at a time, in the order in which they arrive; frozen, it takes none. */
export class TerminalLane {
  private readonly waiting: { readonly call: LaneCall; readonly sinceMs: number }[] = [];
  private isRunning = false;
  private frozenUntilMs = 0;

  constructor(private readonly time: VirtualTime) {}

  push(call: LaneCall): void {
    this.waiting.push({ call, sinceMs: this.time.elapsedMs });
    void this.drain();
  }

  /** Everything stands still for a while: the terminal itself hangs. */
  freeze(ms: number): void {
    this.frozenUntilMs = Math.max(this.frozenUntilMs, this.time.elapsedMs + ms);
    this.time.schedule(ms, () => void this.drain());
  }

  private async drain(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    while (this.time.elapsedMs >= this.frozenUntilMs) {
      const next = this.waiting.shift();
      if (!next) break;
      if (this.time.elapsedMs - next.sinceMs >= next.call.maxWaitMs) next.call.expired();
      else await next.call.run();
    }
    this.isRunning = false;
  }
}
