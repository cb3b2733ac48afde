import { defineStrategy } from '@libs/strategy';
import { IsInt, IsNumber, IsPositive, Max, Min } from 'class-validator';

class Params {
  /** Closed bars whose highs a close has to exceed. */
  @IsInt() @Min(2) @Max(999) length: number = 20;
  /** Distance of stop-loss and take-profit from the entry, in price. */
  @IsNumber() @IsPositive() distance: number = 0.0005;
  /** Loss at the stop-loss, in percent of the equity. */
  @IsNumber() @IsPositive() @Max(5) riskPct: number = 0.5;
}

/** Buys when a bar closes above the highs of the bars before it. An example to replace with your own idea. */
export default defineStrategy({
  version: 1,
  params: Params,
  streams: ['main'],
  warmupBars: ({ length }) => length,
  create: ({ params, streams: { main } }) => ({
    onBar(bar, trade) {
      if (trade.warmingUp || trade.position(main) || trade.inFlight > 0) return;
      const past = trade.bars(main, params.length + 1).slice(0, -1);
      const quote = trade.quote(main);
      if (!quote || bar.close <= Math.max(...past.map(({ high }) => high))) return;

      const risk = (trade.equity * params.riskPct) / 100;
      const volume = trade.volumeFor(main, { risk, stopDistance: params.distance });
      if (volume === 0) return;
      const sl = trade.roundPrice(main, quote.ask - params.distance);
      const tp = trade.roundPrice(main, quote.ask + params.distance);
      trade.buy(main, { volume, sl, tp });
    },
  }),
});
