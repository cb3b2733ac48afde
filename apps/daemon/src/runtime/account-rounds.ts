import type { Clock } from '@libs/clock';

/** A look, which is several reads, that takes longer shows a slow terminal, and not only a busy machine. */
const slowMs = 600;
/** After a slow look, this many times as long as it took are left to the other calls of the terminal. */
const restsPerRead = 3;
const longestRestMs = 4_000;
/** Age of the snapshot at which the rests end: entries stop when it is twice as old. */
const oldestMs = 5_000;

export interface ReadAccount {
  /** Reads the account for all that depends on it. */
  look(): Promise<void>;
  /** Age of the last snapshot in milliseconds, from its begin; null before the first. */
  ageMs(): number | null;
}

/** When an account is read if nothing else requires it: every second, and less often while that takes long. */
export class AccountRounds {
  /** How often {@link next} is called, in milliseconds. */
  static readonly everyMs = 1_000;
  private running = 0;
  private restUntilMs = -Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly account: ReadAccount,
  ) {}

  /** Reads the account, unless that can wait. Rejects with what the read does. */
  async next(): Promise<void> {
    const beganMs = this.clock.monotonicMs();
    if (this.mayWait(beganMs)) return;
    this.running++;
    try {
      await this.account.look();
    } finally {
      this.running--;
      const nowMs = this.clock.monotonicMs();
      const tookMs = nowMs - beganMs;
      this.restUntilMs = tookMs < slowMs ? nowMs : nowMs + Math.min(longestRestMs, restsPerRead * tookMs);
    }
  }

  private mayWait(nowMs: number): boolean {
    const ageMs = this.account.ageMs();
    if (ageMs === null || ageMs > oldestMs) return false;
    return this.running > 0 || nowMs < this.restUntilMs;
  }
}
