import type { Clock } from '@libs/clock';
import type { DealRecord } from '@libs/gateway-client';
import type { Fill, OrderGone } from '@libs/strategy';
import type { StrategyLog } from '../logs/strategy-log';
import type { Persistence } from '../state/persistence';
import { Unsaved } from '../state/unsaved';
import type { HaltRecord, OwnedTicket } from '../state/records';
import type { Change } from '../state/state-store';
import type { Account } from '../trading/account-sync';
import { afterEquity, resumed } from '../trading/halt-rules';
import type { StrategyBook } from '../trading/strategy-book';

export interface AccountSurroundings {
  readonly clock: Clock;
  readonly log: StrategyLog;
  readonly persistence: Persistence;
  /** Market time, in milliseconds since the epoch. */
  marketMs(): number;
  intentOf(broker: string, deal: DealRecord): string | null;
  /** Requests to a gateway whose outcome is not known: what they did may be at the broker already. */
  inFlightOn(broker: string): number;
  /** What fills bring about beside their booking, to become durable with it. */
  along(fills: readonly Fill[]): Change;
  onFills(fills: readonly Fill[]): void;
  onOrderGone(gone: OrderGone): void;
  onHalt(halt: HaltRecord): void;
  /** The account was looked at. */
  onSeen(): Promise<void>;
}

/** One strategy's side of the synchronisation: its book, made durable, and its halts. */
export class StrategyAccount implements Account {
  private readonly unsaved = new Unsaved();

  constructor(
    readonly book: StrategyBook,
    private readonly around: AccountSurroundings,
  ) {}

  intentOf(broker: string, deal: DealRecord): string | null {
    return this.around.intentOf(broker, deal);
  }

  inFlightOn(broker: string): number {
    return this.around.inFlightOn(broker);
  }

  async commit(booked: Change, fills: readonly Fill[] = []): Promise<boolean> {
    const change = { ...booked, ...this.around.along(fills) };
    // In memory first: what the broker did is so whatever the disk says, and no later change may be overwritten by it.
    this.book.apply(change);
    const { strategy, ...rest } = change;
    const whole = this.unsaved.with(strategy ? { ...rest, strategy: this.book.record } : rest);
    const durable = await this.around.persistence.write(whole);
    if (durable) this.unsaved.saved(whole);
    else this.unsaved.keep(whole);
    if (!durable) this.around.log.error('the state could not be written', { error: this.around.persistence.lastError });
    return durable;
  }

  onFills(fills: readonly Fill[]): void {
    for (const fill of fills) this.around.log.info('fill', fill);
    this.around.onFills(fills);
  }

  onOrderGone(gone: OrderGone): void {
    this.around.log.info('an order is gone', gone);
    this.around.onOrderGone(gone);
  }

  async onForeignPosition(broker: string, position: number): Promise<void> {
    const { spec, record } = this.book;
    const what = `an order filled into position ${position} on ${broker}, which it never opened`;
    if (spec.onMismatch === 'halt' && record.halt === null) await this.halt('persistent', what);
    else this.around.log.warning(what);
  }

  async onStrangers(broker: string, tickets: readonly { ticket: number; symbol: string }[]): Promise<void> {
    // A request on its way may have opened it; its answer will tell.
    if (this.around.inFlightOn(broker) > 0) return;
    const { spec } = this.book;
    const names = tickets.map(({ ticket }) => ticket).join(', ');
    if (spec.onMismatch === 'halt') {
      if (this.book.record.halt === null) {
        await this.halt('persistent', `positions under magic ${spec.magic} that it never opened: ${names}`);
      }
      return;
    }
    this.around.log.warning('adopted positions under its magic that it never opened', { tickets: names });
    const adopted = tickets.map((row) => this.adopted(broker, row));
    await this.commit({ tickets: adopted });
  }

  onSeen(): void {
    const { book, around } = this;
    void around.onSeen();
    // Tried again until the disk takes it: entries stay denied until then.
    if (around.persistence.lastError !== null) void this.commit({ strategy: book.record });
    // Another gateway's positions count as nothing until it was looked at, too: that is no loss, and no day's begin.
    if (!book.isEquityKnown) return;
    const date = new Date(around.marketMs()).toISOString().slice(0, 10);
    const record = afterEquity(book.record, book.spec.risk, book.equity, date, around.clock.nowMs());
    if (record === book.record) return;
    const before = book.record.halt;
    void this.commit({ strategy: record });
    if (record.halt !== null && record.halt !== before) {
      around.log.error('halted', record.halt);
      around.onHalt(record.halt);
    }
  }

  onTrouble(error: unknown): void {
    this.around.log.error('what it owns could not be looked after', { error: String(error) });
  }

  async halt(kind: HaltRecord['kind'], reason: string): Promise<void> {
    const halt: HaltRecord = { kind, reason, atMs: this.around.clock.nowMs() };
    const strategy = { ...this.book.record, halt };
    const committed = this.commit({ strategy });
    this.around.log.error('halted', halt);
    this.around.onHalt(halt);
    await committed;
  }

  /** Ends a halt; the limits count anew from the equity of the moment, or from when it is known. */
  async resume(): Promise<void> {
    const { record, equity, isEquityKnown } = this.book;
    this.around.log.info('resumed');
    await this.commit({ strategy: resumed(record, isEquityKnown ? equity : null) });
  }

  private adopted(broker: string, { ticket, symbol }: { ticket: number; symbol: string }): OwnedTicket {
    const { spec } = this.book;
    const stream = spec.streams.find((candidate) => candidate.symbol === symbol && candidate.broker === broker);
    return {
      strategy: spec.name,
      broker,
      ticket,
      stream: stream?.alias ?? '',
      symbol,
      intentId: null,
      deals: [],
      volumeIn: '0',
      volumeOut: '0',
      closed: false,
    };
  }
}
