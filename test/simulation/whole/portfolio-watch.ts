import type { Portfolio } from '../../../apps/daemon/src/portfolios/portfolio';
import type { VirtualTime } from '../virtual-time';
import { childRuns, isOverLimit, limitPassed, type PortfolioSeen } from './invariants/portfolios';

/** Holds the portfolios of one run of a daemon against their limits, look by look. */
export class PortfolioWatch {
  private readonly haltedSince = new Map<string, number>();
  private readonly overSince = new Map<string, number>();

  constructor(private readonly time: VirtualTime) {}

  /** @param excusedMs how long the daemon may have stood still @returns what is wrong */
  look(portfolios: readonly Portfolio[], excusedMs: number): string[] {
    return portfolios.flatMap((portfolio) => {
      const { name } = portfolio.spec;
      const seen: PortfolioSeen = {
        name,
        haltedForMs: this.lasting(this.haltedSince, name, portfolio.record.halt !== null),
        drawdownPct: portfolio.drawdownPct,
        maxDrawdownPct: portfolio.spec.risk.maxDrawdownPct,
        children: portfolio.children.map(({ spec, book }) => ({
          name: spec.name,
          isHalted: book.record.halt !== null,
        })),
      };
      const overForMs = this.lasting(this.overSince, name, isOverLimit(seen));
      return [...childRuns(seen, excusedMs), ...limitPassed(seen, overForMs, excusedMs)];
    });
  }

  /** For how long something has been so, in milliseconds; null if it is not. */
  private lasting(since: Map<string, number>, name: string, isSo: boolean): number | null {
    const { elapsedMs } = this.time;
    if (!isSo) since.delete(name);
    else if (!since.has(name)) since.set(name, elapsedMs);
    const sinceMs = since.get(name);
    return sinceMs === undefined ? null : elapsedMs - sinceMs;
  }
}
