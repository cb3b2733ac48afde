import type { Clock, Timer } from '@libs/clock';
import type { GatewayClient, TickEventRecord } from '@libs/gateway-client';
import type { StampedQuote } from './symbol-watch';
import { TickGaps } from './tick-gaps';
import { TickStream, type TickStreamListener } from './tick-stream';

export interface TickFeedOptions {
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
}

const pollEveryMs = 1_000;
/** New symbols within this time are subscribed together: twenty strategies deployed one by one share few streams. */
const gatherMs = 250;
/** Unused symbols leave the stream after this time: a restarted strategy needs them again at once. */
const tidyMs = 5_000;
const refusedMs = 5_000;
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

  constructor(
    private readonly options: TickFeedOptions,
    private readonly listener: QuoteListener,
  ) {}

  /** True while every subscribed symbol is streamed. */
  get streaming(): boolean {
    return this.wanted.size > 0 && this.unstreamed.length === 0;
  }

  /** Sets the subscribed symbols. */
  want(symbols: Iterable<string>): void {
    this.wanted = new Set(symbols);
    this.gaps.keep(this.wanted);
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
    const isMissing = [...this.wanted].some((symbol) => !streamed.has(symbol));
    const isTooMuch = [...streamed].some((symbol) => !this.wanted.has(symbol));
    if (this.gathering && isMissing) return;
    this.reopening?.cancel();
    this.reopening = null;
    this.gathering = this.running && isMissing;
    if (!this.running || !(isMissing || isTooMuch)) return;
    this.reopening = this.options.clock.setTimer(waitMs ?? (isMissing ? gatherMs : tidyMs), () => this.reopen());
  }

  private reopen(): void {
    const { client, clock, silenceMs = longestSilenceMs } = this.options;
    this.reopening = null;
    this.gathering = false;
    this.opening?.close();
    this.opening = null;
    if (this.wanted.size === 0) {
      this.stream?.close();
      this.stream = null;
      return;
    }
    this.opening = new TickStream({ client, clock, silenceMs, symbols: this.wanted, since: this.lastId }, this);
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
    const symbols = new Set([...this.unstreamed, ...this.unsure]);
    this.unsure.clear();
    const { stream } = this;
    if (!stream?.connected || nowMs - Math.max(stream.heardMs, this.quietPollMs) < quietMs) return symbols;
    this.quietPollMs = nowMs;
    return new Set(this.wanted);
  }

  private async poll(symbol: string): Promise<void> {
    const { options, listener } = this;
    try {
      listener.receive(symbol, quoteOf(await options.client.reads.symbolInfoTick(symbol)));
    } catch (error) {
      listener.failed(`quote of ${symbol}`, error);
    }
  }
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
