import { BrokerClock } from '../terminal/broker-clock';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import type { Market, OrderLimits } from '../pre-trade/proposed-order';
import { SymbolService } from '../symbols/symbol.service';

/** What an order is checked against: its symbol's record and last quote, and the operator's limits. */
@Injectable()
export class MarketReader {
  readonly limits: OrderLimits;

  constructor(
    private readonly symbols: SymbolService,
    private readonly clock: BrokerClock,
    @Inject(GATEWAY_SETTINGS) settings: GatewaySettings,
  ) {
    this.limits = {
      symbols: settings.SYMBOL_WHITELIST,
      maxVolume: settings.MAX_ORDER_VOLUME,
      maxPriceDeviationPct: settings.MAX_PRICE_DEVIATION_PCT,
      maxDeviationPoints: settings.MAX_ORDER_DEVIATION,
    };
  }

  /** @throws ApiError not_found for an unknown symbol, terminal_unavailable without a quote to trade by */
  async market(symbol: string): Promise<Market> {
    const info = await this.symbols.info(symbol);
    const tick = await this.symbols.tick(symbol);
    if (tick.bid <= 0 || tick.ask <= 0) {
      throw new ApiError('terminal_unavailable', `${symbol} has no quote`, { details: { reason: 'no_quote' } });
    }
    return { info, tick, nowMs: this.clock.nowMs() };
  }
}
