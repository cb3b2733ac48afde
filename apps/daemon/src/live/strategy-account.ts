import { currencyDigits } from '@libs/gateway-client';
import type { CoreEffect } from '../core/core-effect';
import type { SettlementEvent } from '../core/core-event';
import type { AccountRows } from '../core/account-rows';
import type { LostStop } from '../core/lost-stops';
import type { ExternalPosition } from '../core/external-positions';
import type { StrategyBook } from '../core/strategy-book';
import type { StrategySpec } from '../core/strategy-spec';
import type { StrategyLog } from '../logs/strategy-log';
import type { HaltRecord } from '../core/records';
import type { Account } from './account-sync';
import type { LiveCore } from './live-core';
import type { DeskSurroundings } from './surroundings';
import type { TradingEvents } from './trading-events';
import type { MarketClock } from './strategy-market';

export interface AccountSurroundings {
  readonly log: StrategyLog;
  readonly market: MarketClock;
  readonly events: TradingEvents;
  readonly gateways: DeskSurroundings['gateways'];
}

/** One strategy's side of the synchronisation: passes what the account shows on to its core. */
export class StrategyAccount implements Account {
  constructor(
    private readonly core: LiveCore,
    private readonly around: AccountSurroundings,
  ) {}

  get book(): StrategyBook {
    return this.core.state.book;
  }

  see(broker: string, rows: AccountRows): void {
    void this.core.deliver({ type: 'rows', broker, rows, moneyDigits: this.moneyDigits(broker) });
  }

  handle(event: SettlementEvent): readonly CoreEffect[] {
    return this.core.handle(event);
  }

  perform(effect: CoreEffect): unknown {
    return this.core.perform(effect);
  }

  async onExternalPositions(broker: string, positions: readonly ExternalPosition[]): Promise<void> {
    await this.core.deliver({ type: 'external', broker, positions });
  }

  onLostStops(broker: string, lost: readonly LostStop[]): void {
    if (lost.length === 0) return;
    const { symbolSpecs } = this.around.market.market;
    const streams = this.book.spec.streams.filter((stream) => stream.broker === broker);
    const known = streams.flatMap(({ alias, symbol }): [string, number][] => {
      const spec = symbolSpecs[alias];
      return spec ? [[symbol, spec.digits]] : [];
    });
    void this.core.deliver({ type: 'lost stops', broker, lost, digits: Object.fromEntries(known) });
  }

  onSeen(): void {
    const { market, events } = this.around;
    events.emit({ type: 'seen' });
    // All its accounts have one currency.
    const moneyDigits = this.moneyDigits(this.book.spec.streams[0]?.broker);
    void this.core.deliver({ type: 'account seen', marketMs: market.nowMs, quotes: market.market.quotes, moneyDigits });
  }

  onUnread(broker: string): void {
    const { market } = this.around;
    void this.core.deliver({ type: 'account unread', broker, marketMs: market.nowMs, quotes: market.market.quotes });
  }

  onTrouble(error: unknown): void {
    this.around.log.error('checking the halt rules and pending orders failed', { error: String(error) });
  }

  /** @param flattens whether its positions are to be closed as well */
  async halt(kind: HaltRecord['kind'], reason: string, flattens = false, byOperator?: true): Promise<void> {
    const facts = { ...(flattens ? { flattens } : {}), ...(byOperator === true ? { byOperator } : {}) };
    await this.core.deliver({ type: 'halt', kind, reason, ...facts });
  }

  /** Ends a halt; the limits count anew from the equity of the moment, or from when it is known. */
  async resume(): Promise<void> {
    await this.core.deliver({ type: 'resume' });
  }

  /** Applies a changed configuration: book, stacks, halts and in-flight requests stay as they are. */
  async respec(spec: StrategySpec): Promise<void> {
    await this.core.deliver({ type: 'respec', spec });
  }

  /** Ignores a gateway that is no longer configured. */
  forgo(broker: string): void {
    void this.core.deliver({ type: 'forgo', broker });
  }

  private moneyDigits(broker: string | undefined): number | undefined {
    const account = broker === undefined ? null : this.around.gateways.get(broker)?.session.account;
    return account ? currencyDigits(account.currency) : undefined;
  }
}
