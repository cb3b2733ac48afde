import type { Clock, Timer } from '@libs/clock';
import type { Tick } from '@libs/terminal-client';
import { inOrder, isSameConnection, type ConnectionNotice } from '../account-evidence/account-notices';
import type { ServerTime } from '../server-time/server-time';
import type { QuoteAges } from '../symbols/quote-ages';
import type { BadPrices } from '../terminal/bad-prices';
import type { TerminalReads } from './account-looks';
import type { StreamConnection } from './stream-connection';
import { StreamBatch, StreamFrame } from './stream-frame';
import { TickListener, type TickFrames } from './tick-listener';

/** Between two polls of a terminal that does not know when its next quote is due. */
const pollMs = 100;
/** Between two selections of a symbol without a quote: a user may have taken it out of the Market Watch. */
const selectAgainMs = 10_000;

interface Quote {
  readonly tick: Tick;
  readonly seq: number;
  readonly symbolSeq: number;
}

/** The newest quote sent for a symbol, and its number within the symbol. */
interface Counted {
  readonly tick: Tick;
  readonly symbolSeq: number;
}

/** Listeners that want the same symbols; they are sent the same bytes. */
interface Group {
  readonly symbols: readonly string[];
  readonly listeners: Set<TickListener>;
}

/**
 * The quotes of every subscribed symbol: one poll of the terminal for all of them, and none without listeners. A terminal in this
 * process states when its next quote is due, and is polled then. Ticks between two polls are skipped; `/copy_ticks_range` has
 * the complete history.
 */
export class TickFeed {
  private readonly groups = new Map<string, Group>();
  private readonly quotes = new Map<string, Quote>();
  /** Kept without listeners, so that a returning client can detect lost quotes. */
  private readonly counted = new Map<string, Counted>();
  /** When a symbol without a quote was last selected, on the monotonic clock. */
  private readonly selectedMs = new Map<string, number>();
  private readonly firstSeq: number;
  private seq: number;
  private timer: Timer | null = null;
  private polling = false;
  private told: ConnectionNotice = inOrder;

  constructor(
    private readonly terminal: TerminalReads,
    private readonly serverTime: ServerTime,
    private readonly clock: Clock,
    private readonly badPrices: Pick<BadPrices, 'ofQuote'>,
    private readonly ages: QuoteAges,
    private readonly notices: { readonly connection: ConnectionNotice },
  ) {
    // Numbers of an earlier run are all lower, so they are never mistaken for this run's.
    this.firstSeq = clock.nowMs() * 10;
    this.seq = this.firstSeq - 1;
  }

  /** Streams the symbols to a connection until it closes. @param since the last tick that it received, of any symbol */
  listen(symbols: readonly string[], connection: StreamConnection, since: number | undefined): void {
    const key = [...symbols].sort().join(',');
    const group = this.groups.get(key) ?? { symbols: [...symbols].sort(), listeners: new Set() };
    this.groups.set(key, group);
    const listener = new TickListener(connection);
    group.listeners.add(listener);
    connection.whenClosed(() => this.leave(key, group, listener));
    if (since !== undefined && (since < this.firstSeq || since > this.seq)) {
      connection.write(StreamBatch.of({ event: 'resync', data: { event: 'resync', reason: 'unknown_id', since } }));
    }
    if (!isSameConnection(this.told, inOrder)) connection.write(connectionBatch(this.told));
    this.catchUp(group, listener, since);
    void this.poll();
  }

  private leave(key: string, group: Group, listener: TickListener): void {
    group.listeners.delete(listener);
    if (group.listeners.size === 0 && this.groups.get(key) === group) this.groups.delete(key);
    const wanted = this.wantedSymbols();
    // An old quote must not count as current for the next listener.
    for (const symbol of this.quotes.keys()) if (!wanted.has(symbol)) this.quotes.delete(symbol);
    for (const symbol of this.selectedMs.keys()) if (!wanted.has(symbol)) this.selectedMs.delete(symbol);
    if (wanted.size > 0) return;
    this.timer?.cancel();
    this.timer = null;
    this.told = inOrder;
  }

  private catchUp({ symbols }: Group, listener: TickListener, since: number | undefined): void {
    const current = symbols.flatMap((symbol) => {
      const quote = this.quotes.get(symbol);
      return quote && !(since !== undefined && quote.seq <= since && since <= this.seq) ? [{ symbol, quote }] : [];
    });
    const changed = new Map(
      // The quote is older than when it was published.
      current.sort((a, b) => a.quote.seq - b.quote.seq).map((row) => [row.symbol, this.frameOf(row.symbol, row.quote)]),
    );
    if (changed.size > 0) listener.offer(framesOf(changed));
  }

  private async poll(): Promise<void> {
    if (this.polling) return;
    this.polling = true;
    const startMs = this.clock.monotonicMs();
    const symbols = [...this.wantedSymbols()];
    try {
      const shown = await this.terminal.read((terminal) => terminal.ticks(symbols));
      const ticks = shown.map((tick) => (tick !== null && this.badPrices.ofQuote(tick) === null ? tick : null));
      this.tellConnection(true);
      this.publish(symbols, ticks);
      await this.selectAgain(symbols.filter((_symbol, index) => ticks[index] === null));
    } catch {
      // The session reports the cause; listeners get a message that quotes are stale.
      this.tellConnection(false);
    } finally {
      this.polling = false;
    }
    this.pollAgain(startMs);
  }

  /**
   * Selects one symbol that has had no quote for a while; one at a time, because the others wait for the next poll. A symbol that
   * was just selected has no quote yet.
   */
  private async selectAgain(symbols: readonly string[]): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    for (const symbol of symbols) if (!this.selectedMs.has(symbol)) this.selectedMs.set(symbol, nowMs);
    const due = symbols.find((symbol) => nowMs - (this.selectedMs.get(symbol) ?? nowMs) >= selectAgainMs);
    if (due === undefined) return;
    this.selectedMs.set(due, nowMs);
    // A failure is not one of the quotes: the next poll shows whether the terminal answers.
    await this.terminal.read((terminal) => terminal.symbolSelect(due, true)).catch(() => false);
  }

  /** At the instant of the next quote if the terminal knows it, and after the usual time at the latest. */
  private pollAgain(startMs: number): void {
    this.timer?.cancel();
    const symbols = [...this.wantedSymbols()];
    if (symbols.length === 0) return;
    const leftMs = Math.max(0, startMs + pollMs - this.clock.monotonicMs());
    const dueMs = this.terminal.pushes?.quoteDueMs(symbols) ?? leftMs;
    this.timer = this.clock.setTimer(Math.min(dueMs, leftMs), () => void this.poll());
  }

  private publish(symbols: readonly string[], ticks: readonly (Tick | null)[]): void {
    const changed = new Map<string, StreamFrame>();
    symbols.forEach((symbol, index) => {
      const tick = ticks[index];
      if (tick) this.ages.note(symbol, tick);
      if (!tick || isSame(this.quotes.get(symbol)?.tick, tick)) return;
      this.seq += 1;
      const numbered = { tick, seq: this.seq, symbolSeq: this.count(symbol, tick) };
      this.quotes.set(symbol, numbered);
      changed.set(symbol, this.frameOf(symbol, numbered));
    });
    if (changed.size === 0) return;
    for (const group of this.groups.values()) {
      const ofGroup = new Map([...changed].filter(([symbol]) => group.symbols.includes(symbol)));
      if (ofGroup.size === 0) continue;
      const frames = framesOf(ofGroup);
      for (const listener of group.listeners) listener.offer(frames);
    }
  }

  private frameOf(symbol: string, { tick, seq, symbolSeq: symbol_seq }: Quote): StreamFrame {
    const time_utc = this.serverTime.utcIsoMs(tick.time_msc);
    const data = { seq, symbol_seq, symbol, ...tick, time_utc, age_seconds: this.ages.ageSeconds(symbol) };
    return new StreamFrame({ event: 'tick', id: seq, data });
  }

  /**
   * Increases by one for each change; a pause without listeners in which the quote changed skips at least one number.
   */
  private count(symbol: string, tick: Tick): number {
    const before = this.counted.get(symbol);
    const wasWatched = this.quotes.has(symbol);
    const step = !wasWatched && isSame(before?.tick, tick) ? 0 : wasWatched || !before ? 1 : 2;
    const symbolSeq = (before?.symbolSeq ?? 0) + step;
    this.counted.set(symbol, { tick, symbolSeq });
    return symbolSeq;
  }

  private tellConnection(isConnected: boolean): void {
    const now = this.connectionOf(isConnected);
    if (isSameConnection(now, this.told)) return;
    this.told = now;
    const batch = connectionBatch(now);
    for (const { listeners } of this.groups.values()) {
      for (const { connection } of listeners) if (connection.isReady) connection.write(batch);
    }
  }

  /** Whether quotes come decides; the session has the reason. */
  private connectionOf(isConnected: boolean): ConnectionNotice {
    const notice = this.notices.connection;
    if (notice.connected === isConnected) return notice;
    return isConnected ? inOrder : { ...notice, connected: false, reason: 'unreachable' };
  }

  private wantedSymbols(): Set<string> {
    return new Set([...this.groups.values()].flatMap(({ symbols }) => symbols));
  }
}

function framesOf(bySymbol: ReadonlyMap<string, StreamFrame>): TickFrames {
  return { bySymbol, batch: new StreamBatch([...bySymbol.values()]) };
}

function isSame(before: Tick | undefined, now: Tick): boolean {
  if (!before) return false;
  const { time_msc, bid, ask, last, volume } = before;
  return time_msc === now.time_msc && bid === now.bid && ask === now.ask && last === now.last && volume === now.volume;
}

function connectionBatch(notice: ConnectionNotice): StreamBatch {
  return StreamBatch.of({ event: 'connection', data: notice });
}
