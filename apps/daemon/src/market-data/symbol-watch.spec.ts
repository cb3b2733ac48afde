import { SymbolWatch } from './symbol-watch';

describe('SymbolWatch', () => {
  const quote = (timeMs: number, bid = 1.1) => ({ timeMs, bid, ask: bid + 0.0001 });
  /** A quote of a broker whose zone is unknown. */
  const stamped = (serverMs: number, bid = 1.1) => ({ quote: quote(serverMs, bid), serverMs, utcMs: null });
  /** Quotes that come every `everyMs` from a broker whose clock is ours. */
  const fed = (everyMs: number, count: number): { watch: SymbolWatch; nowMs: number } => {
    const watch = new SymbolWatch();
    let nowMs = 0;
    for (let index = 0; index < count; index++, nowMs += everyMs) watch.see(stamped(nowMs, 1 + index), nowMs, nowMs);
    return { watch, nowMs: nowMs - everyMs };
  };

  it('is stale after ten seconds, or five times the usual gap where that is longer', () => {
    const quick = fed(500, 20);
    expect([quick.watch.isStale(quick.nowMs + 10_000), quick.watch.isStale(quick.nowMs + 10_001)]).toEqual([
      false,
      true,
    ]);
    const slow = fed(6_000, 80);
    expect([slow.watch.isStale(slow.nowMs + 29_000), slow.watch.isStale(slow.nowMs + 30_001)]).toEqual([false, true]);
  });

  it('does not count a weekend as a usual gap', () => {
    const { watch, nowMs } = fed(500, 20);
    const mondayMs = nowMs + 48 * 3_600_000;
    watch.see(stamped(mondayMs, 2), mondayMs, mondayMs);
    expect(watch.isStale(mondayMs + 10_001)).toBe(true);
  });

  it('learns that a symbol is slow', () => {
    const { watch, nowMs } = fed(60_000, 60);
    expect(watch.isStale(nowMs + 120_000)).toBe(false);
  });

  it('ignores an older quote that arrives late', () => {
    const watch = new SymbolWatch();
    expect(watch.see(stamped(5_000), 0, 0)).toBe(true);
    expect(watch.see(stamped(4_000, 1.2), 3_000, 0)).toBe(false);
    expect(watch.quote).toEqual(quote(5_000));
  });

  it('follows a broker’s clock that was set back', () => {
    const watch = new SymbolWatch();
    watch.see(stamped(3_600_000), 0, 0);
    expect(watch.see(stamped(1_000, 1.2), 9_999, 0)).toBe(false);
    expect(watch.see(stamped(2_000, 1.2), 10_000, 0)).toBe(true);
  });

  it('continues at once when the broker’s offset becomes known, although its quotes are hours earlier from then on', () => {
    const watch = new SymbolWatch();
    const [serverMs, offsetMs] = [10_000_000, 7_200_000];
    watch.see(stamped(serverMs), 0, 0);
    const next = {
      quote: quote(serverMs + 500 - offsetMs, 1.2),
      serverMs: serverMs + 500,
      utcMs: serverMs - 7_199_500,
    };
    expect(watch.see(next, 500, 0)).toBe(true);
    expect(watch.quote).toEqual(next.quote);
  });
});
