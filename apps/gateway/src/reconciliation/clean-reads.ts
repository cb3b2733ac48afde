const readsWanted = 3;
const spreadMs = 60_000;
const apartMs = spreadMs / (readsWanted - 1);

/**
 * Counts the reads that showed the same about a send. Brokers show orders late, so one read without a trace proves
 * nothing: it takes three, spread over a minute. A restart begins anew.
 */
export class CleanReads {
  private readonly reads = new Map<string, { count: number; lastMs: number }>();

  /** Notes one read that showed it so, at a monotonic time; true once it has been so for long enough. */
  isLongEnough(intentId: string, atMs: number): boolean {
    const seen = this.reads.get(intentId);
    if (seen && atMs - seen.lastMs < apartMs) return false;
    const count = (seen?.count ?? 0) + 1;
    this.reads.set(intentId, { count, lastMs: atMs });
    return count >= readsWanted;
  }

  forget(intentId: string): void {
    this.reads.delete(intentId);
  }
}
