import { defineStrategy, type Trade } from '@libs/strategy';
import { IsInt, IsNumber, IsOptional, IsPositive, Min } from 'class-validator';
import { ATR, EMA } from 'trading-signals';

class EmaCrossParams {
  /** Bars of the fast average. */
  @IsInt() @Min(2) fast: number = 12;
  /** Bars of the slow average. */
  @IsInt() @Min(3) slow: number = 26;
  /** Lots of each entry. */
  @IsNumber() @IsPositive() volume: number = 0.1;
  /** Distance of the stop-loss, in average true ranges; none when left out. */
  @IsOptional() @IsNumber() @IsPositive() stopAtr?: number;
  /** Distance of the take-profit, in average true ranges; none when left out. */
  @IsOptional() @IsNumber() @IsPositive() targetAtr?: number;
}

/** Always in the market once started: long while the fast average is above the slow one, short while it is below. */
export default defineStrategy({
  version: 1,
  params: EmaCrossParams,
  warmupBars: ({ slow }) => slow * 3,
  create: ({ params, streams }) => {
    const markets = new Map(
      Object.values(streams).map((stream) => [
        stream.alias,
        {
          stream,
          fast: new EMA(params.fast),
          slow: new EMA(params.slow),
          range: new ATR(14),
          above: null as boolean | null,
        },
      ]),
    );

    return {
      onBar(bar, trade) {
        const market = markets.get(bar.stream);
        if (!market) return;
        market.fast.add(bar.close);
        market.slow.add(bar.close);
        market.range.add(bar);
        const fast = market.fast.getResult();
        const slow = market.slow.getResult();
        const range = market.range.getResult();
        if (fast === null || slow === null || range === null || fast === slow) return;

        const above = fast > slow;
        const crossed = market.above !== null && market.above !== above;
        market.above = above;
        if (!crossed || trade.warmingUp) return;

        for (const position of trade.positions(market.stream)) trade.close(position);
        enter(trade, market.stream.alias, above ? 1 : -1, bar.close, range);
      },
    };

    function enter(trade: Trade, stream: string, direction: 1 | -1, price: number, range: number): void {
      const levels = {
        ...(params.stopAtr === undefined ? {} : { sl: price - direction * params.stopAtr * range }),
        ...(params.targetAtr === undefined ? {} : { tp: price + direction * params.targetAtr * range }),
      };
      const options = { volume: params.volume, ...levels };
      if (direction === 1) trade.buy(stream, options);
      else trade.sell(stream, options);
    }
  },
});
