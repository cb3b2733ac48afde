import type { Clock } from '@libs/clock';
import type { DealRecord } from '@libs/gateway-client';
import type { Fill, OrderGone } from '@libs/strategy';
import {
  reactionTo,
  reactionToFillInto,
  type ExternalPosition,
  type ExternalReaction,
} from '../core/external-positions';
import { afterEquity, resumed } from '../core/halt-rules';
import type { StrategyLog } from '../logs/strategy-log';
import type { HaltRecord } from '../state/records';
import type { Change } from '../state/state-store';
import type { Account } from '../trading/account-sync';
import type { DurableBook } from '../trading/durable-book';
import type { InFlight } from '../trading/in-flight';
import type { OpenStacks } from '../trading/open-stacks';
import type { StrategyBook } from '../core/strategy-book';
import type { TradingEvents } from '../trading/trading-events';
import type { MarketClock } from './market-clock';

export interface AccountSurroundings {
  readonly clock: Clock;
  readonly log: StrategyLog;
  readonly market: MarketClock;
  readonly events: TradingEvents;
}

/** One strategy's side of the synchronisation: its book, made durable, and its halts. */
export class StrategyAccount implements Account {
  constructor(
    private readonly ledger: DurableBook,
    private readonly inFlight: InFlight,
    private readonly stacks: OpenStacks,
    private readonly around: AccountSurroundings,
  ) {}

  get book(): StrategyBook {
    return this.ledger.book;
  }

  intentOf(broker: string, deal: DealRecord): string | null {
    return this.inFlight.intentOf(broker, deal);
  }

  inFlightOn(broker: string): number {
    return this.inFlight.countOn(broker);
  }

  commit(booked: Change, fills: readonly Fill[] = []): Promise<boolean> {
    return this.ledger.commit(fills.length === 0 ? booked : { ...booked, ...this.stacks.filled(fills) });
  }

  onFills(fills: readonly Fill[]): void {
    for (const fill of fills) this.around.log.info('fill', fill);
    this.around.events.emit({ type: 'filled', fills });
  }

  onOrderGone(gone: OrderGone): void {
    this.around.log.info('a pending order ended', gone);
    this.around.events.emit({ type: 'gone', gone });
  }

  async onForeignPosition(broker: string, position: number): Promise<void> {
    await this.react(reactionToFillInto(position, this.book, broker));
  }

  async onExternalPositions(broker: string, positions: readonly ExternalPosition[]): Promise<void> {
    await this.react(reactionTo(positions, this.book, broker, this.inFlightOn(broker)));
  }

  onSeen(): void {
    const { book, around } = this;
    around.events.emit({ type: 'seen' });
    // Retried until the disk accepts it: entries are denied until then.
    if (this.ledger.persistence.lastError !== null) void this.commit({ strategy: book.record });
    // Positions at a gateway without a snapshot count as nothing: this is neither a loss nor the baseline of a day.
    if (!book.isEquityKnown) return;
    const date = new Date(around.market.nowMs).toISOString().slice(0, 10);
    const record = afterEquity(book.record, book.spec.risk, book.equity, date, around.clock.nowMs());
    if (record === book.record) return;
    const before = book.record.halt;
    void this.commit({ strategy: record });
    if (record.halt !== null && record.halt !== before) {
      around.log.error('halted', record.halt);
      around.events.emit({ type: 'halted', halt: record.halt });
    }
  }

  onTrouble(error: unknown): void {
    this.around.log.error('checking the halt rules and pending orders failed', { error: String(error) });
  }

  async halt(kind: HaltRecord['kind'], reason: string): Promise<void> {
    const halt: HaltRecord = { kind, reason, atMs: this.around.clock.nowMs() };
    const strategy = { ...this.book.record, halt };
    const committed = this.commit({ strategy });
    this.around.log.error('halted', halt);
    this.around.events.emit({ type: 'halted', halt });
    await committed;
  }

  /** Ends a halt; the limits count anew from the equity of the moment, or from when it is known. */
  async resume(): Promise<void> {
    const { record, equity, isEquityKnown } = this.book;
    this.around.log.info('resumed');
    await this.commit({ strategy: resumed(record, isEquityKnown ? equity : null) });
  }

  private async react(reaction: ExternalReaction): Promise<void> {
    switch (reaction.type) {
      case 'none':
        return;
      case 'warn':
        return this.around.log.warning(reaction.reason);
      case 'halt':
        return this.halt('persistent', reaction.reason);
      case 'adopt': {
        const tickets = reaction.tickets.map(({ ticket }) => ticket).join(', ');
        this.around.log.warning("adopted external positions under the strategy's magic", { tickets });
        await this.commit(this.book.claiming(reaction.tickets));
      }
    }
  }
}
