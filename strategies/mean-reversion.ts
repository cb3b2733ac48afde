import { defineStrategy } from '@libs/strategy';
import { IsInt, IsNumber, IsPositive, Min } from 'class-validator';
import { SMA } from 'trading-signals';

class MeanReversionParams {
  /** Bars of the mean and of the deviation from it. */
  @IsInt() @Min(10) length: number = 60;
  /** Deviations from the mean at which to enter against the move. */
  @IsNumber() @IsPositive() enterZ: number = 2.5;
  /** Deviations from the mean at which the move counts as undone. */
  @IsNumber() @Min(0) exitZ: number = 0.5;
  /** Deviations beyond the entry at which the idea was wrong. */
  @IsNumber() @IsPositive() stopZ: number = 3;
  /** Lots of each entry. */
  @IsNumber() @IsPositive() volume: number = 0.1;
}

/** Sells what is far above its mean and buys what is far below it, measured in standard deviations. */
export default defineStrategy({
  version: 1,
  params: MeanReversionParams,
  streams: ['main'],
  warmupBars: ({ length }) => length * 2,
  create: ({ params, streams: { main } }) => {
    const mean = new SMA(params.length);
    return {
      onBar(bar, trade) {
        const average = mean.add(bar.close);
        const bars = trade.bars(main, params.length);
        if (average === null || bars.length < params.length || trade.warmingUp) return;
        const variance = bars.reduce((sum, { close }) => sum + (close - average) ** 2, 0) / bars.length;
        const deviation = Math.sqrt(variance);
        if (deviation === 0) return;
        const z = (bar.close - average) / deviation;

        const position = trade.position(main);
        if (position) {
          const isUndone = position.side === 'buy' ? z >= -params.exitZ : z <= params.exitZ;
          if (isUndone) trade.close(position);
          return;
        }
        if (Math.abs(z) < params.enterZ) return;
        const stop = params.stopZ * deviation;
        if (z > 0) trade.sell(main, { volume: params.volume, sl: bar.close + stop });
        else trade.buy(main, { volume: params.volume, sl: bar.close - stop });
      },
    };
  },
});
