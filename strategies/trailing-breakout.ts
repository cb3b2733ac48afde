import { defineStrategy, type Position, type Trade } from '@libs/strategy';
import { IsInt, IsNumber, IsPositive, Max, Min } from 'class-validator';
import { ATR } from 'trading-signals';

class TrailingParams {
  /** Number of bars in the channel. A close above its high or below its low is a break-out. */
  @IsInt() @Min(2) @Max(999) channel: number = 40;
  /** Distance of the stop-loss, in average true ranges: of the first one, and of the trailing stop. */
  @IsNumber() @IsPositive() stopAtr: number = 3;
  /** Lots of each entry; half of them are closed first. */
  @IsNumber() @IsPositive() volume: number = 0.2;
}

/**
 * Trades a break-out. When the position has earned what it risked, closes half of it and lets a trailing stop follow the
 * price with the rest. The daemon keeps the trailing stop over a restart, and the position shows that it has one.
 */
export default defineStrategy({
  version: 2,
  params: TrailingParams,
  streams: ['main'],
  warmupBars: ({ channel }) => channel + 20,
  create: ({ params, streams: { main } }) => {
    const range = new ATR(14);
    return {
      onBar(bar, trade) {
        const past = trade.bars(main, params.channel + 1).slice(0, -1);
        range.add(bar);
        const average = range.getResult();
        if (average === null || trade.warmingUp || trade.inFlight > 0) return;
        const distance = trade.roundPrice(main, params.stopAtr * average);
        const position = trade.position(main);
        if (position) return manage(trade, position, bar.close, distance);

        const { volume } = params;
        const isUp = bar.close > Math.max(...past.map(({ high }) => high));
        const isDown = bar.close < Math.min(...past.map(({ low }) => low));
        if (isUp) trade.buy(main, { volume, sl: trade.roundPrice(main, bar.close - distance) });
        else if (isDown) trade.sell(main, { volume, sl: trade.roundPrice(main, bar.close + distance) });
      },
    };

    function manage(trade: Trade, position: Position, close: number, distance: number): void {
      const { side, avgPrice, sl, volume, trail } = position;
      if (trail !== null || sl === 0) return;
      const earned = side === 'buy' ? close - avgPrice : avgPrice - close;
      if (earned < Math.abs(avgPrice - sl)) return;
      const half = trade.roundVolume(main, volume / 2);
      if (half > 0) trade.closePart(position, half);
      trade.trail(position, { distance });
    }
  },
});
