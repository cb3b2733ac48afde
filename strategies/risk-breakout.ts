import { defineStrategy } from '@libs/strategy';
import { IsInt, IsNumber, IsPositive, Max, Min } from 'class-validator';
import { ATR } from 'trading-signals';

class BreakoutParams {
  /** Bars whose high and low a close has to break. */
  @IsInt() @Min(2) @Max(999) channel: number = 40;
  /** Distance of the stop-loss, in average true ranges. */
  @IsNumber() @IsPositive() stopAtr: number = 3;
  /** Distance of the take-profit, in distances of the stop-loss. */
  @IsNumber() @IsPositive() reward: number = 2;
  /** Loss at the stop-loss, in percent of the equity. */
  @IsNumber() @IsPositive() @Max(5) riskPct: number = 0.5;
}

/** Trades a break-out with a volume that loses the same share of the equity whatever the symbol and the stop are. */
export default defineStrategy({
  version: 1,
  params: BreakoutParams,
  streams: ['main'],
  warmupBars: ({ channel }) => channel + 20,
  create: ({ params, streams: { main } }) => {
    const range = new ATR(14);
    return {
      onBar(bar, trade) {
        const past = trade.bars(main, params.channel + 1).slice(0, -1);
        range.add(bar);
        const average = range.getResult();
        if (average === null || trade.warmingUp || trade.position(main) || trade.inFlight > 0) return;
        const isUp = bar.close > Math.max(...past.map(({ high }) => high));
        const isDown = bar.close < Math.min(...past.map(({ low }) => low));
        const quote = trade.quote(main);
        if (isUp === isDown || !quote) return;

        const { stopsDistance } = trade.symbol(main);
        const stopDistance = Math.max(params.stopAtr * average, stopsDistance);
        const risk = (trade.equity * params.riskPct) / 100;
        const volume = trade.volumeFor(main, { risk, stopDistance });
        if (volume === 0) {
          trade.log('the least volume would risk more than allowed', { risk, stopDistance });
          return;
        }
        const [entry, direction] = isUp ? [quote.ask, 1] : [quote.bid, -1];
        const sl = trade.roundPrice(main, entry - direction * stopDistance);
        const tp = trade.roundPrice(main, entry + direction * params.reward * stopDistance);
        if (isUp) trade.buy(main, { volume, sl, tp });
        else trade.sell(main, { volume, sl, tp });
      },
    };
  },
});
