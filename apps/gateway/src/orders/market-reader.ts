import { BrokerClock } from '../terminal/broker-clock';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { operatorLimits, type Market, type OrderLimits } from '@libs/order-drafts';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { SymbolService } from '../symbols/symbol.service';

/** The inputs of the order checks: the symbol's record and last quote, and the operator's limits. */
@Injectable()
export class MarketReader {
  readonly limits: OrderLimits;

  constructor(
    private readonly symbols: SymbolService,
    private readonly clock: BrokerClock,
    @Inject(GATEWAY_SETTINGS) settings: GatewaySettings,
  ) {
    this.limits = operatorLimits(settings).orders;
  }

  /** @throws ApiError not_found for an unknown symbol, terminal_unavailable if the symbol has no quote */
  async market(symbol: string): Promise<Market> {
    const info = await this.symbols.info(symbol);
    const tick = await this.symbols.tick(symbol);
    if (tick.bid <= 0 || tick.ask <= 0) {
      throw new ApiError('terminal_unavailable', `${symbol} has no quote`, { details: { reason: 'no_quote' } });
    }
    return { info, tick, nowMs: this.clock.nowMs() };
  }
}
