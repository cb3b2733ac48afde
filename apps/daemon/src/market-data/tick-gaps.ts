/**
 * Counts the quotes that were lost on the way, by the gateway's number of each symbol's quotes: the next quote of a
 * symbol has the next number. What changed between two looks of the gateway at its terminal is not known to anybody.
 */
export class TickGaps {
  /** How often quotes were left out. */
  gaps = 0;
  /** Quotes that were left out, at least: a gateway that was not asked for a while counts the pause as one. */
  lost = 0;
  private readonly newest = new Map<string, number>();

  /** Notes a quote's number. True when others were left out before it; never for a gateway that does not number them. */
  note(symbol: string, symbolSeq: number | undefined): boolean {
    if (symbolSeq === undefined) return false;
    const before = this.newest.get(symbol);
    if (before !== undefined && symbolSeq <= before) return false;
    this.newest.set(symbol, symbolSeq);
    if (before === undefined || symbolSeq === before + 1) return false;
    this.gaps++;
    this.lost += symbolSeq - before - 1;
    return true;
  }

  /** The gateway counts anew, or something of it could not be read: how much was lost cannot be told. */
  restart(): void {
    if (this.newest.size > 0) this.gaps++;
    this.newest.clear();
  }

  /** Forgets the numbers of other symbols: nobody listens to them any more, so nothing of them is lost. */
  keep(symbols: ReadonlySet<string>): void {
    for (const symbol of this.newest.keys()) if (!symbols.has(symbol)) this.newest.delete(symbol);
  }
}
