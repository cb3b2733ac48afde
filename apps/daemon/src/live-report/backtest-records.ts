import type { Stream } from '@libs/strategy';
import type { StrategyRun } from '../backtest/portfolio-result';
import type { TimedReject } from '../backtest/backtest-result';
import type { ComparedTrade } from './compared-trade';
import { haltedTime, idleAt, type IdleTime } from './idle-times';
import type { Evidence, Records } from './live-comparison';

/** What of a run says why an entry of the live strategy is missing in it. */
type Run = Pick<StrategyRun, 'halts' | 'failure'> & { readonly result: Pick<StrategyRun['result'], 'rejects'> };

/** What a backtest has on record about entries that it did not make: its rejects, its halts, and its failure. */
export class BacktestRecords implements Records {
  private readonly failure: string | null;
  private readonly halts: readonly IdleTime[];
  private readonly refused: TimedReject[];

  constructor(
    { halts, failure, result }: Run,
    private readonly streams: readonly Stream[],
    private readonly toleranceMs: number,
  ) {
    this.failure = failure;
    this.halts = halts.map(haltedTime);
    this.refused = result.rejects.filter(({ entry }) => entry !== null);
  }

  of(missing: ComparedTrade): Evidence | null {
    if (this.failure !== null) return { cause: 'the backtest failed to warm up', detail: this.failure };
    const index = this.refused.findIndex((reject) => this.isOf(reject, missing));
    const [found] = index === -1 ? [] : this.refused.splice(index, 1);
    if (found) return { cause: `the backtest ${found.kind} it`, detail: found.reason };
    const halt = idleAt(this.halts, missing.openedMs);
    return halt ? { cause: 'the backtest was halted', detail: halt.reason } : null;
  }

  private isOf({ entry, timeMs }: TimedReject, { symbol, side, openedMs }: ComparedTrade): boolean {
    const stream = this.streams.find(({ alias }) => alias === entry?.stream);
    const isNear = Math.abs(timeMs - openedMs) <= this.toleranceMs;
    return isNear && stream?.symbol === symbol && entry?.side === side;
  }
}
