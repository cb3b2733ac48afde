import { defineStrategy } from '@libs/strategy';
import { IsInt, IsNumber, IsPositive, Max, Min } from 'class-validator';
import { ATR, EMA, RSI } from 'trading-signals';

class PullbackParams {
  /** Bars of the average of the slow stream that gives the direction. */
  @IsInt() @Min(2) trend: number = 50;
  /** Bars of the relative strength of the fast stream. */
  @IsInt() @Min(2) strength: number = 14;
  /** Relative strength below which a rising market is bought; 100 minus it above which a falling one is sold. */
  @IsNumber() @Min(5) @Max(49) entry: number = 30;
  /** Relative strength at which a bought position is closed; 100 minus it for a sold one. */
  @IsNumber() @Min(50) @Max(95) exit: number = 60;
  /** Distance of the stop-loss, in average true ranges of the fast stream. */
  @IsNumber() @IsPositive() stopAtr: number = 3;
  /** Lots of each entry. */
  @IsNumber() @IsPositive() volume: number = 0.1;
}

/** Enters against a short move in the direction of a longer one: two timeframes of one symbol. */
export default defineStrategy({
  version: 1,
  params: PullbackParams,
  streams: ['fast', 'slow'],
  warmupBars: ({ trend, strength }) => ({ slow: trend, fast: Math.max(strength, 14) + 1 }),
  create: ({ params, streams: { fast } }) => {
    const average = new EMA(params.trend);
    const strength = new RSI(params.strength);
    const range = new ATR(14);
    let direction: 1 | -1 | null = null;

    return {
      // At one instant the bar of the longer timeframe comes first, so the direction is that of its newest close.
      onBar(bar, trade) {
        if (bar.stream === 'slow') {
          average.add(bar.close);
          const level = average.getResult();
          direction = level === null || level === bar.close ? null : bar.close > level ? 1 : -1;
          return;
        }
        strength.add(bar.close);
        range.add(bar);
        const [force, height] = [strength.getResult(), range.getResult()];
        if (force === null || height === null || trade.warmingUp || trade.inFlight > 0) return;

        const position = trade.position(fast);
        if (position) {
          const isOver = position.side === 'buy' ? force >= params.exit : force <= 100 - params.exit;
          if (isOver) trade.close(position);
          return;
        }
        const sl = (side: 1 | -1) => trade.roundPrice(fast, bar.close - side * params.stopAtr * height);
        if (direction === 1 && force < params.entry) trade.buy(fast, { volume: params.volume, sl: sl(1) });
        if (direction === -1 && force > 100 - params.entry) trade.sell(fast, { volume: params.volume, sl: sl(-1) });
      },
    };
  },
});
