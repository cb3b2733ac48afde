import { Injectable } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import type { KeyRole } from '../audit/caller';

/** What the long reads of some keys share. */
interface Budget {
  /** Reads that run at once. */
  readonly atOnce: number;
  /** Reads that wait; one more is refused. */
  readonly mostWaiting: number;
  /** Pauses after each read for as long as it took, so that half of the time is left to trading. */
  readonly rests: boolean;
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Lets few long reads run at once: audit lines, a check of the whole audit log, ranges of bars and ticks, comparisons of the books. They
 * would otherwise delay orders and the halt, which never wait here. The read-only key has a budget of its own, so that a dashboard
 * does not delay bots.
 */
@Injectable()
export class ReadBudget {
  private readonly ofReadOnly: Budget = { atOnce: 1, mostWaiting: 32, rests: true, running: 0, waiting: [] };
  private readonly ofTraders: Budget = { atOnce: 4, mostWaiting: 256, rests: false, running: 0, waiting: [] };

  constructor(private readonly clock: Clock) {}

  /** Runs a read in its turn. @throws ApiError too_many_requests when too many are waiting; nothing was read */
  async run<Result>({ keyRole }: { readonly keyRole: KeyRole | null }, read: () => Promise<Result>): Promise<Result> {
    const budget = this.budgetOf(keyRole);
    if (budget.running >= budget.atOnce && budget.waiting.length >= budget.mostWaiting) {
      throw new ApiError(
        'too_many_requests',
        `${budget.mostWaiting} long reads are waiting already; this one was not started: repeat it later`,
        { headers: { 'retry-after': '1' } },
      );
    }
    return this.inTurn(budget, read);
  }

  /** The pieces of an answer, each read in its turn, so that a slow client has no turn while it receives. @throws as {@link run} */
  async *pieces<Piece>(
    caller: { readonly keyRole: KeyRole | null },
    source: AsyncGenerator<Piece>,
  ): AsyncGenerator<Piece> {
    try {
      let next = await this.run(caller, () => source.next());
      const budget = this.budgetOf(caller.keyRole);
      while (next.done !== true) {
        yield next.value;
        // An answer that has begun is not refused any more.
        next = await this.inTurn(budget, () => source.next());
      }
    } finally {
      await source.return(undefined);
    }
  }

  private budgetOf(role: KeyRole | null): Budget {
    return role === 'readonly' ? this.ofReadOnly : this.ofTraders;
  }

  private async inTurn<Result>(budget: Budget, read: () => Promise<Result>): Promise<Result> {
    if (budget.running >= budget.atOnce) await new Promise<void>((begin) => budget.waiting.push(begin));
    else budget.running += 1;
    const beganMs = this.clock.monotonicMs();
    try {
      return await read();
    } finally {
      const restMs = budget.rests ? this.clock.monotonicMs() - beganMs : 0;
      if (restMs > 0) this.clock.setTimer(restMs, () => this.release(budget));
      else if (budget.waiting.length > 0) setImmediate(() => this.release(budget));
      else this.release(budget);
    }
  }

  /** The next one takes the place over. */
  private release(budget: Budget): void {
    const begin = budget.waiting.shift();
    if (begin) begin();
    else budget.running -= 1;
  }
}
