import type { Clock } from '@libs/clock';
import type { TerminalClient } from '@libs/terminal-client';
import { type DerivedOffset, type OffsetState, takeReading } from './derived-offset';
import { IsoWriter } from './iso-time';
import type { OffsetReading } from './offset-reading';
import type { OffsetStore } from './offset.store';
import { QuoteDerivation } from './quote-derivation';
import type { ServerTimeLog, ServerTimeOptions } from './server-time-options';
import { ServerTimeUnavailableError } from './server-time-unavailable.error';
import { FixedZone, type ServerZone } from './server-zone';

export const offsetSources = ['zone', 'env', 'derived'] as const;
export type OffsetSource = (typeof offsetSources)[number];

/** `server_time` of GET /health. */
export interface ServerTimeReport {
  readonly offset_seconds: number | null;
  readonly source: OffsetSource | null;
  /** The symbol whose quote gave a derived offset. */
  readonly symbol: string | null;
  /** ISO-8601 UTC of the last reading that confirmed a derived offset. */
  readonly derived_at: string | null;
  readonly age_seconds: number | null;
}

/** The only place that converts between server time and UTC. */
export class ServerTime {
  private offset: OffsetState = { current: null, pending: null };
  private zone: ServerZone | null;
  private readonly source: OffsetSource | null;
  private server = '';
  /** Offsets are written one after the other, so that the newest remains. */
  private keeping: Promise<void> = Promise.resolve();
  private readonly quotes: QuoteDerivation;

  constructor(
    private readonly options: ServerTimeOptions,
    terminal: TerminalClient,
    private readonly clock: Clock,
    private readonly log: ServerTimeLog,
    private readonly store: OffsetStore | null,
    /** The time of the broker's market as UTC; a simulated market may run faster than the clock, or in another year. */
    brokerClock: Pick<Clock, 'nowMs'> = clock,
  ) {
    this.source = options.zone ? 'zone' : options.fixedOffsetSeconds !== null ? 'env' : null;
    this.zone =
      options.zone ?? (options.fixedOffsetSeconds === null ? null : new FixedZone(options.fixedOffsetSeconds));
    if (this.source === null) this.restore(store?.found ?? null);
    const sink = {
      take: (reading: OffsetReading) => this.take(reading),
      hasOffset: () => this.offset.current !== null,
    };
    this.quotes = new QuoteDerivation(options, terminal, { clock, brokerClock }, log, sink);
  }

  /** Starts with a session: derives now, and again every refresh period. `server` is the trade server's name. */
  connected(server: string): void {
    if (this.source !== null) return;
    this.forgetOtherServer(server);
    this.quotes.start();
  }

  /** Stops with the session, because quotes are stale without one, and at shutdown. */
  disconnected(): void {
    this.quotes.stop();
  }

  /** Waits until the offset is written to disk. */
  kept(): Promise<void> {
    return this.keeping;
  }

  /** Another object whenever the conversion may have changed; null while no offset is known. */
  get rule(): object | null {
    return this.zone;
  }

  /** The UTC instant of a server time, both in milliseconds; null while no offset is known. */
  toUtcMs(serverMs: number): number | null {
    return this.zone?.toUtcMs(serverMs) ?? null;
  }

  /** The server time of a UTC instant, both in milliseconds; null while no offset is known. */
  toServerMs(utcMs: number): number | null {
    return this.zone?.toServerMs(utcMs) ?? null;
  }

  /**
   * The earliest server time, in milliseconds, that anything after a quote of this server time can have. Only a zone gives
   * the hour that its clock repeats; otherwise it is the time of the quote.
   */
  earliestAfter(serverMsc: number): number {
    return this.zone?.earliestAfter(serverMsc) ?? serverMsc;
  }

  /**
   * The latest server time, in milliseconds, that anything before a deal of this server time can have. While no zone is known, an
   * hour may have been repeated.
   */
  latestBefore(serverMsc: number): number {
    return this.zone?.latestBefore(serverMsc) ?? serverMsc + 3_600_000;
  }

  /** Server time for the terminal: whole seconds of a UTC instant in milliseconds, rounded down. */
  toServerSeconds(utcMs: number): number | null {
    return this.zone ? Math.floor(this.zone.toServerMs(utcMs) / 1_000) : null;
  }

  /**
   * Formats server seconds as `2024-03-01T09:05:00Z`; null for the terminal's 0 ("none") and while no offset is known.
   */
  utcIso(serverSeconds: number): string | null {
    if (serverSeconds === 0 || !this.zone) return null;
    return `${new IsoWriter().seconds(this.zone.toUtcMs(serverSeconds * 1_000))}Z`;
  }

  /** Formats server milliseconds as `2024-03-01T09:05:00.250Z`; null as in {@link utcIso}. */
  utcIsoMs(serverMsc: number): string | null {
    if (serverMsc === 0 || !this.zone) return null;
    return `${new IsoWriter().milliseconds(this.zone.toUtcMs(serverMsc))}Z`;
  }

  report(): ServerTimeReport {
    const { current } = this.offset;
    const nowMs = this.clock.nowMs();
    return {
      offset_seconds: this.zone?.offsetSecondsAt(nowMs) ?? null,
      source: this.source ?? (current ? 'derived' : null),
      symbol: current?.symbol ?? null,
      derived_at: current ? new Date(current.derivedAtMs).toISOString() : null,
      age_seconds: current ? ageSeconds(current.derivedAtMs, nowMs) : null,
    };
  }

  /**
   * The server seconds at which an order of this symbol expires. Without a usable offset, one is derived from the
   * symbol's own quote, which takes a few reads; orders that wait for the same symbol share them.
   * @throws ServerTimeUnavailableError if there is still none
   */
  async requireForOrder(symbol: string, utcMs: number): Promise<number> {
    if (!this.isUsable()) await this.quotes.deriveFor(symbol);
    const serverSeconds = this.isUsable() ? this.toServerSeconds(utcMs) : null;
    if (serverSeconds !== null) return serverSeconds;
    const { current } = this.offset;
    if (!current) throw new ServerTimeUnavailableError('unknown');
    throw new ServerTimeUnavailableError('stale', ageSeconds(current.derivedAtMs, this.clock.nowMs()));
  }

  private isUsable(): boolean {
    if (this.source !== null) return true;
    const { current } = this.offset;
    return current !== null && Math.abs(this.clock.nowMs() - current.derivedAtMs) <= this.options.maxOffsetAgeMs;
  }

  /** True if the reading settled the offset, false if it differs and needs confirmation. */
  private take(reading: OffsetReading): boolean {
    const before = this.offset.current?.offsetSeconds;
    const taken = takeReading(
      this.offset,
      { ...reading, atMs: this.clock.nowMs(), server: this.server },
      this.options.confirmations,
    );
    this.offset = taken.state;
    const facts = `${reading.offsetSeconds} s by ${reading.symbol}`;
    switch (taken.effect) {
      case 'disagreed':
        this.log.warn(
          `server time: a quote gives an offset of ${facts}; ${before} s stays in force until that is confirmed`,
        );
        return false;
      case 'switched':
        this.log.warn(`server time: the offset changes from ${before} s to ${facts}`);
        break;
      case 'adopted':
        this.log.log(`server time: the offset is ${facts}`);
        break;
      case 'agreed':
    }
    this.keep();
    return true;
  }

  private keep(): void {
    const { current } = this.offset;
    if (current === null) return;
    this.zone = new FixedZone(current.offsetSeconds);
    this.keeping = this.keeping
      .then(() => this.store?.save(current))
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : 'unknown';
        this.log.warn(`server time: the offset cannot be kept on disk: ${reason}`);
      });
  }

  private restore(kept: DerivedOffset | null): void {
    if (kept === null) return;
    this.offset = { current: kept, pending: null };
    this.zone = new FixedZone(kept.offsetSeconds);
    this.server = kept.server;
  }

  /** An offset belongs to the server it was derived on. */
  private forgetOtherServer(server: string): void {
    if (this.offset.current !== null && this.server !== server) {
      this.log.warn(`server time: the offset of ${this.server} is dropped because the account is on ${server}`);
      this.offset = { current: null, pending: null };
      this.zone = null;
    }
    this.server = server;
  }
}

function ageSeconds(sinceMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - sinceMs) / 1_000));
}
