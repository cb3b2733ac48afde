import { defineStrategy, type Position, type Trade } from '@libs/strategy';
import { IsInt, IsNumber, IsPositive, Max, Min } from 'class-validator';
import { ATR } from 'trading-signals';

class TrailingParams {
  /** Number of bars in the channel. A close above its high or below its low is a break-out. */
  @IsInt() @Min(2) @Max(999) channel: number = 40;
  /** Distance of the stop-loss, in average true ranges: of the first one, and of the one that follows the price. */
  @IsNumber() @IsPositive() stopAtr: number = 3;
  /** Lots of each entry; half of them are closed first. */
  @IsNumber() @IsPositive() volume: number = 0.2;
}

/**
 * Trades a break-out. Closes half of the position when it has earned what it risked, and moves the stop-loss to the
 * entry; from then on the stop-loss follows the price. A restart changes nothing: what was done is read from the volume
 * and the stop-loss of the position.
 */
export default defineStrategy({
  version: 1,
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
        const distance = params.stopAtr * average;
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
      const { side, avgPrice, sl, volume } = position;
      const direction = side === 'buy' ? 1 : -1;
      if (volume >= params.volume) {
        const hasEarnedItsRisk = sl !== 0 && direction * (close - avgPrice) >= Math.abs(avgPrice - sl);
        if (!hasEarnedItsRisk) return;
        const half = trade.roundVolume(main, volume / 2);
        if (half > 0) trade.closePart(position, half);
        trade.protect(position, { sl: trade.roundPrice(main, avgPrice) });
        return;
      }
      const next = trade.roundPrice(main, close - direction * distance);
      // A stop-loss only ever moves towards the price.
      if (direction * (next - sl) > 0) trade.protect(position, { sl: next });
    }
  },
});
