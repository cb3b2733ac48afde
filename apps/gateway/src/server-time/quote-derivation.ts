import type { Clock, Timer } from '@libs/clock';
import { type TerminalClient, TerminalUnavailableError } from '@libs/terminal-client';
import { type OffsetReading, QuoteWatch } from './offset-reading';
import type { ServerTimeLog, ServerTimeOptions } from './server-time-options';

/** While there is no offset at all, times carry no zone and good-till-date orders are refused: worth asking sooner. */
const noOffsetRetryMs = 30_000;

/** Where the readings go. */
export interface OffsetSink {
  /** Takes a reading; true when it settled the offset, so that no more are needed now. */
  take(reading: OffsetReading): boolean;
  hasOffset(): boolean;
}

/** Waiting goes by the gateway's clock; a quote's age by the broker's. */
interface Clocks {
  readonly clock: Clock;
  readonly brokerClock: Pick<Clock, 'nowMs'>;
}

interface Reads {
  readonly count: number;
  readonly delayMs: number;
}

/** Reads live quotes for the offset they give: at every connect, every refresh period, and for orders (spec GTD 3, 4, 7). */
export class QuoteDerivation {
  private running: Promise<void> | null = null;
  private refresh: Timer | null = null;
  private retry: Timer | null = null;
  /** Raised at every start and stop, so that reads under way end. */
  private generation = 0;
  private readonly forOrders = new Map<string, Promise<void>>();
  private readonly clock: Clock;
  private readonly brokerClock: Clocks['brokerClock'];

  constructor(
    private readonly options: ServerTimeOptions,
    private readonly terminal: TerminalClient,
    clocks: Clocks,
    private readonly log: ServerTimeLog,
    private readonly sink: OffsetSink,
  ) {
    this.clock = clocks.clock;
    this.brokerClock = clocks.brokerClock;
  }

  /** Derives now and from now on. */
  start(): void {
    this.stop();
    if (this.options.refreshMs > 0) this.refresh = this.clock.every(this.options.refreshMs, () => this.derive());
    this.derive();
  }

  stop(): void {
    this.generation += 1;
    this.refresh?.cancel();
    this.refresh = null;
    this.retry?.cancel();
    this.running = null;
  }

  /**
   * Derives from the quote of one symbol; orders that wait for the same symbol share the reads.
   * @throws TerminalUnavailableError
   */
  deriveFor(symbol: string): Promise<void> {
    const shared = this.forOrders.get(symbol);
    if (shared) return shared;
    const derivation = this.readFor(symbol).finally(() => this.forOrders.delete(symbol));
    this.forOrders.set(symbol, derivation);
    return derivation;
  }

  /** One derivation at a time; a refresh that falls into another is part of it. */
  private derive(): void {
    if (this.running) return;
    const derivation = this.run(this.generation).finally(() => {
      if (this.running !== derivation) return;
      this.running = null;
      if (!this.sink.hasOffset() && this.refresh) this.retrySoon();
    });
    this.running = derivation;
  }

  private retrySoon(): void {
    this.retry?.cancel();
    this.retry = this.clock.setTimer(Math.min(noOffsetRetryMs, this.options.refreshMs), () => this.derive());
  }

  private async run(generation: number): Promise<void> {
    const { referenceSymbol, deriveAttempts, deriveDelayMs } = this.options;
    const reads = { count: deriveAttempts, delayMs: deriveDelayMs };
    try {
      if (referenceSymbol !== null && (await this.terminal.symbolSelect(referenceSymbol, true))) {
        if (await this.readQuotes([referenceSymbol], reads, generation)) return;
      }
      const watched = (await this.terminal.symbolsGet()).filter((symbol) => symbol.visible).map(({ name }) => name);
      await this.readQuotes(watched, reads, generation);
    } catch (error) {
      // A lost session is the session's own matter; the next connect derives anew.
      if (error instanceof TerminalUnavailableError && error.failure === 'disconnected') return;
      this.log.warn(`server time: the quotes can't be read: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }

  private async readFor(symbol: string): Promise<void> {
    const { orderDeriveAttempts, orderDeriveDelayMs } = this.options;
    await this.terminal.symbolSelect(symbol, true);
    await this.readQuotes([symbol], { count: orderDeriveAttempts, delayMs: orderDeriveDelayMs }, this.generation);
  }

  /** Reads until the offset is settled or the session is another; false when the reads are used up. */
  private async readQuotes(
    symbols: readonly string[],
    { count, delayMs }: Reads,
    generation: number,
  ): Promise<boolean> {
    const watch = new QuoteWatch();
    for (let read = 1; read <= count; read++) {
      if (read > 1) await this.clock.sleep(delayMs);
      if (generation !== this.generation) return true;
      const ticks = await this.terminal.ticks(symbols);
      if (generation !== this.generation) return true;
      const reading = watch.read(symbols, ticks, this.brokerClock.nowMs());
      if (reading && this.sink.take(reading)) return true;
    }
    return false;
  }
}
