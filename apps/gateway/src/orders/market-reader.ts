import { BrokerClock } from '../terminal/broker-clock';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';
import { operatorLimits, type Market, type OrderLimits } from '@libs/order-drafts';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { SymbolService } from '../symbols/symbol.service';

/** A market with the age of its quote in seconds; null if that is not known. */
export interface AgedMarket extends Market {
  readonly ageSeconds: number | null;
}

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

  /** @throws ApiError not_found for an unknown symbol, terminal_unavailable if its terms are not loaded or it has no quote */
  async market(symbol: string): Promise<AgedMarket> {
    const info = await this.symbols.info(symbol);
    const { tick, ageSeconds } = await this.symbols.quote(symbol);
    if (info.volume_step <= 0 || info.point <= 0 || info.trade_contract_size <= 0) {
      const message = `the terminal has not loaded the terms of ${symbol} yet`;
      throw new ApiError('terminal_unavailable', message, { details: { reason: 'no_terms' } });
    }
    return { info, tick, nowMs: this.clock.nowMs(), ageSeconds };
  }
}
