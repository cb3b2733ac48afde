import type { Clock, Timer } from '@libs/clock';
import { type TerminalClient, TerminalUnavailableError } from '@libs/terminal-client';
import { type OffsetReading, QuoteWatch } from './offset-reading';
import type { ServerTimeLog, ServerTimeOptions } from './server-time-options';

/** Shorter while there is no offset, because times have no zone and good-till-date orders are denied until then. */
const noOffsetRetryMs = 30_000;

/** Receives the readings. */
export interface OffsetSink {
  /** Applies a reading; true if it settled the offset, so that no more are needed now. */
  take(reading: OffsetReading): boolean;
  hasOffset(): boolean;
}

/** Waits follow the gateway's clock; the age of a quote follows the broker's. */
interface Clocks {
  readonly clock: Clock;
  readonly brokerClock: Pick<Clock, 'nowMs'>;
}

interface Reads {
  readonly count: number;
  readonly delayMs: number;
}

/** Derives the offset from live quotes: at every connect, every refresh period, and for orders. */
export class QuoteDerivation {
  private running: Promise<void> | null = null;
  private refresh: Timer | null = null;
  private retry: Timer | null = null;
  /** Incremented at every start and stop, so that running reads end. */
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

  /** Derives now and periodically. */
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

  /** One derivation at a time; a refresh during another one joins it. */
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
      // The session handles its own loss; the next connect derives again.
      if (error instanceof TerminalUnavailableError && error.failure === 'disconnected') return;
      this.log.warn(`server time: the quotes cannot be read: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }

  private async readFor(symbol: string): Promise<void> {
    const { orderDeriveAttempts, orderDeriveDelayMs } = this.options;
    await this.terminal.symbolSelect(symbol, true);
    await this.readQuotes([symbol], { count: orderDeriveAttempts, delayMs: orderDeriveDelayMs }, this.generation);
  }

  /** Reads until the offset is settled or the session changes; false if the reads are used up. */
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
