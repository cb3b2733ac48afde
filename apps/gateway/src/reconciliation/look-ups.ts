import { Injectable } from '@nestjs/common';
import type { LookUpEvidence } from '../trade-core/journal-records';
import { TradeJournal } from '../trade-journal/trade-journal';

const readsWanted = 3;
const spreadMs = 60_000;
const apartMs = spreadMs / (readsWanted - 1);

/**
 * Counts the reads with the same result for a send. Brokers show orders late, so one read proves nothing: it takes
 * three, spread over a minute of running time. The count is kept in the journal, so that it continues after a restart.
 */
@Injectable()
export class LookUps {
  private readonly known = new Map<string, LookUpEvidence>();

  constructor(private readonly journal: TradeJournal) {}

  /** Counts one read with a result; true once the result has lasted long enough. */
  async isLongEnough(
    intentId: string,
    kind: 'nothing' | 'contested' | 'undecidable',
    reason?: string,
  ): Promise<boolean> {
    const evidence = this.of(intentId);
    const seen = evidence[kind];
    const nowMs = this.journal.intents.runningMs();
    if (seen && nowMs - seen.lastRunningMs < apartMs) return false;
    const reads = (seen?.reads ?? 0) + 1;
    const noted = {
      ...evidence,
      [kind]: { reads, lastRunningMs: nowMs },
      ...(reason === undefined ? {} : { reason: evidence.reason ?? reason }),
    };
    this.known.set(intentId, noted);
    await this.journal.intents.keepEvidence(intentId, noted);
    return reads >= readsWanted;
  }

  /**
   * Why the outcome cannot be determined, once a read showed that; a later read with less evidence does not change it.
   */
  undecidableReason(intentId: string): string | null {
    return this.of(intentId).reason ?? null;
  }

  /** Whether a result lasted long enough in the reads that are counted already. */
  hasLasted(intentId: string, kind: 'nothing'): boolean {
    return (this.of(intentId)[kind]?.reads ?? 0) >= readsWanted;
  }

  forget(intentId: string): void {
    this.known.delete(intentId);
  }

  private of(intentId: string): LookUpEvidence {
    return this.known.get(intentId) ?? this.journal.intents.evidenceOf(intentId) ?? {};
  }
}
