import type { Clock, Timer } from '@libs/clock';
import { GatewayReadError, type GatewayClient, type TickEventRecord } from '@libs/gateway-client';
import type { StampedQuote } from './symbol-watch';
import { TickStream, type TickStreamListener } from './tick-stream';

interface TickFeedOptions {
  readonly client: GatewayClient;
  readonly clock: Clock;
  /** Maximum silence of the stream, heartbeats included; 35000 is more than two heartbeats of the gateway. */
  readonly silenceMs?: number;
}

/** Receives the quotes of a gateway. */
export interface QuoteListener {
  receive(symbol: string, quote: StampedQuote): void;
  /** @param what the read or the stream that failed */
  failed(what: string, error: unknown): void;
  /** The broker no longer has the symbol, or no quote of it. @param reason as the gateway states it */
  lost(symbol: string, reason: string): void;
}

const pollEveryMs = 1_000;
/** New symbols within this time are subscribed together: twenty strategies deployed one by one share few streams. */
const gatherMs = 250;
/** Unused symbols leave the stream after this time: a restarted strategy needs them again at once. */
const tidyMs = 5_000;
const refusedMs = 5_000;
/** A symbol that the broker does not have is asked for after this time: it may come back. */
const lostPollMs = 10_000;
/** If the stream is silent for this long, poll once per interval: it may have stalled, or the market may be closed. */
const quietMs = 10_000;
const longestSilenceMs = 35_000;

/**
 * The quotes of one gateway's symbols, from its event stream; symbols that are not streamed at the moment are polled. A
 * new stream is opened before the old one is closed, so that no symbol is without quotes in between.
 */
export class TickFeed implements TickStreamListener {
  readonly gaps = new TickGaps();
  private wanted: ReadonlySet<string> = new Set();
  private stream: TickStream | null = null;
  private opening: TickStream | null = null;
  private reopening: Timer | null = null;
  /** A timer for new symbols is running. */
  private gathering = false;
  private lastId: number | null = null;
  private running = false;
  private quietPollMs = 0;
  /** Symbols to poll because quotes of them were lost. */
  private readonly unsure = new Set<string>();
  /** Symbols that the broker no longer has: the gateway refuses a stream that names one. By symbol, why and when to ask again. */
  private readonly lost = new Map<string, { readonly reason: string; readonly untilMs: number }>();

  constructor(
    private readonly options: TickFeedOptions,
    private readonly listener: QuoteListener,
  ) {}

  /** True while every subscribed symbol is streamed that the broker has. */
  get streaming(): boolean {
    return this.wanted.size > 0 && this.unstreamed.every((symbol) => this.lost.has(symbol));
  }

  /** Symbols that the broker no longer has, each with what the gateway says of it. */
  get lostSymbols(): readonly (readonly [symbol: string, reason: string])[] {
    return [...this.lost].map(([symbol, { reason }]) => [symbol, reason]);
  }

  /** Asks for the quote of a symbol, because another read of it failed. */
  doubt(symbol: string): void {
    if (this.wanted.has(symbol)) this.unsure.add(symbol);
  }

  /** Sets the subscribed symbols. */
  want(symbols: Iterable<string>): void {
    this.wanted = new Set(symbols);
    this.gaps.keep(this.wanted);
    for (const symbol of this.lost.keys()) if (!this.wanted.has(symbol)) this.lost.delete(symbol);
    if (!this.running && this.wanted.size > 0) {
      this.running = true;
      void this.pollOn();
    }
    this.plan();
  }

  stop(): void {
    this.running = false;
    this.wanted = new Set();
    this.reopening?.cancel();
    this.stream?.close();
    this.opening?.close();
  }

  private get unstreamed(): readonly string[] {
    const { stream } = this;
    return [...this.wanted].filter((symbol) => stream?.connected !== true || !stream.symbols.has(symbol));
  }

  /** Schedules an update of the stream to the subscribed symbols. */
  private plan(waitMs?: number): void {
    const streamed = (this.opening ?? this.stream)?.symbols ?? new Set();
    const streamable = this.streamable();
    const isMissing = [...streamable].some((symbol) => !streamed.has(symbol));
    const isTooMuch = [...streamed].some((symbol) => !streamable.has(symbol));
    if (this.gathering && isMissing) return;
    this.reopening?.cancel();
    this.reopening = null;
    this.gathering = this.running && isMissing;
    if (!this.running || !(isMissing || isTooMuch)) return;
    this.reopening = this.options.clock.setTimer(waitMs ?? (isMissing ? gatherMs : tidyMs), () => this.reopen());
  }

  private streamable(): ReadonlySet<string> {
    return new Set([...this.wanted].filter((symbol) => !this.lost.has(symbol)));
  }

  private reopen(): void {
    const { client, clock, silenceMs = longestSilenceMs } = this.options;
    this.reopening = null;
    this.gathering = false;
    this.opening?.close();
    this.opening = null;
    const symbols = this.streamable();
    if (symbols.size === 0) {
      this.stream?.close();
      this.stream = null;
      return;
    }
    this.opening = new TickStream({ client, clock, silenceMs, symbols, since: this.lastId }, this);
  }

  onConnected(stream: TickStream): void {
    if (stream !== this.opening) return;
    this.stream?.close();
    this.stream = stream;
    this.opening = null;
  }

  onStreamFailure(error: unknown): void {
    this.listener.failed('the stream of quotes', error);
  }

  onRefused(stream: TickStream): void {
    if (stream === this.stream) this.stream = null;
    if (stream === this.opening) this.opening = null;
    this.plan(refusedMs);
  }

  onTick(tick: TickEventRecord, id: number): void {
    this.lastId = Math.max(this.lastId ?? id, id);
    if (this.gaps.note(tick.symbol, tick.symbol_seq)) this.unsure.add(tick.symbol);
    this.listener.receive(tick.symbol, quoteOf(tick));
  }

  onResync(): void {
    this.lastId = null;
    this.gaps.restart();
    for (const symbol of this.wanted) this.unsure.add(symbol);
  }

  private async pollOn(): Promise<void> {
    while (this.running) {
      await this.options.clock.sleep(pollEveryMs);
      for (const symbol of this.toPoll()) {
        if (!this.running) return;
        if (this.wanted.has(symbol)) await this.poll(symbol);
      }
    }
  }

  /** Symbols to poll now: those not streamed, those with lost quotes, and all of them if the stream is silent. */
  private toPoll(): ReadonlySet<string> {
    const nowMs = this.options.clock.monotonicMs();
    const isAsked = (symbol: string): boolean => nowMs >= (this.lost.get(symbol)?.untilMs ?? 0);
    const symbols = new Set([...this.unstreamed.filter(isAsked), ...this.unsure]);
    this.unsure.clear();
    const { stream } = this;
    if (!stream?.connected || nowMs - Math.max(stream.heardMs, this.quietPollMs) < quietMs) return symbols;
    this.quietPollMs = nowMs;
    return new Set([...this.streamable(), ...symbols]);
  }

  private async poll(symbol: string): Promise<void> {
    const { options, listener } = this;
    try {
      listener.receive(symbol, quoteOf(await options.client.reads.symbolInfoTick(symbol)));
      if (this.lost.delete(symbol)) this.plan();
    } catch (error) {
      if (isMissing(error)) this.lose(symbol, error.message);
      else listener.failed(`quote of ${symbol}`, error);
    }
  }

  /** The other symbols stay in the stream, which the gateway refuses as a whole for one that it does not know. */
  private lose(symbol: string, reason: string): void {
    if (!this.wanted.has(symbol)) return;
    const isNew = !this.lost.has(symbol);
    this.lost.set(symbol, { reason, untilMs: this.options.clock.monotonicMs() + lostPollMs });
    if (!isNew) return;
    this.listener.lost(symbol, reason);
    // Nothing waits for a symbol to leave a stream that is open.
    this.gathering = false;
    this.plan();
  }
}

/** Whether a read of a symbol says that there is none: the gateway and the terminal have answered. */
export function isMissing(error: unknown): error is GatewayReadError {
  return error instanceof GatewayReadError && error.isAbsence;
}

/** A tick's prices and its time: UTC when the broker's zone is known, else the broker's own clock. */
export function quoteOf(tick: {
  readonly bid: number;
  readonly ask: number;
  readonly time_msc: number;
  readonly time_utc: string | null;
}): StampedQuote {
  const utcMs = tick.time_utc === null ? null : Date.parse(tick.time_utc);
  const quote = { timeMs: utcMs ?? tick.time_msc, bid: tick.bid, ask: tick.ask };
  return { quote, serverMs: tick.time_msc, utcMs };
}

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
