/**
 * Counts lost quotes by the gateway's sequence number per symbol, which increases by one. Changes between two polls of
 * the terminal by the gateway cannot be detected.
 */
export class TickGaps {
  /** Number of gaps. */
  gaps = 0;
  /** Quotes that were left out, at least: a gateway that was not asked for a while counts the pause as one. */
  lost = 0;
  private readonly newest = new Map<string, number>();

  /**
   * Notes a quote's number. True when others were left out before it; never for a gateway that does not number them.
   */
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

  /** The gateway restarted its count, or a message could not be read: the number of lost quotes is unknown. */
  restart(): void {
    if (this.newest.size > 0) this.gaps++;
    this.newest.clear();
  }

  /** Drops the numbers of symbols without listeners. */
  keep(symbols: ReadonlySet<string>): void {
    for (const symbol of this.newest.keys()) if (!symbols.has(symbol)) this.newest.delete(symbol);
  }
}
