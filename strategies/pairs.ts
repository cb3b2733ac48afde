import { defineStrategy, type Trade } from '@libs/strategy';
import { IsInt, IsNumber, IsPositive, Max, Min } from 'class-validator';

class PairsParams {
  /** Bars of the mean of the ratio and of the deviation from it. */
  @IsInt() @Min(10) @Max(999) length: number = 120;
  /** Deviations from the mean at which both legs are entered. */
  @IsNumber() @IsPositive() enterZ: number = 2;
  /** Deviations from the mean at which both are closed. */
  @IsNumber() @Min(0) exitZ: number = 0.5;
  /** Lots of the first leg; the second has the same value. */
  @IsNumber() @IsPositive() volume: number = 0.1;
}

/** Sells the dearer and buys the cheaper of two symbols while the ratio of their prices is far from its mean. */
export default defineStrategy({
  version: 1,
  params: PairsParams,
  streams: ['first', 'second'],
  warmupBars: ({ length }) => length,
  create: ({ params, streams: { first, second } }) => {
    return {
      onBar(_bar, trade) {
        const z = deviation(trade);
        if (z === null || trade.warmingUp || trade.inFlight > 0) return;
        const legs = [...trade.positions(first), ...trade.positions(second)];
        if (legs.length > 0) {
          // A single leg remains after the other one was rejected or stopped out.
          const isOver = legs.length !== 2 || Math.abs(z) <= params.exitZ;
          if (isOver) for (const leg of legs) trade.close(leg);
          return;
        }
        const volume = secondVolume(trade);
        if (Math.abs(z) < params.enterZ || volume === 0) return;
        const isFirstDear = z > 0;
        if (isFirstDear) trade.sell(first, { volume: params.volume });
        else trade.buy(first, { volume: params.volume });
        if (isFirstDear) trade.buy(second, { volume });
        else trade.sell(second, { volume });
      },
    };

    /** Deviations of the newest ratio from its mean; null until both symbols have a bar of the same time, and enough of them. */
    function deviation(trade: Trade): number | null {
      const others = new Map(trade.bars(second, params.length).map((bar) => [bar.timeMs, bar.close]));
      const bars = trade.bars(first, params.length);
      const ratios = bars.flatMap(({ timeMs, close }) => {
        const other = others.get(timeMs);
        return other === undefined ? [] : [close / other];
      });
      const last = bars.at(-1);
      if (!last || !others.has(last.timeMs) || ratios.length < params.length * 0.9) return null;
      const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
      const spread = Math.sqrt(ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / ratios.length);
      return spread === 0 ? null : ((ratios.at(-1) ?? mean) - mean) / spread;
    }

    /** Lots of the second symbol that are worth the lots of the first; both have to be priced in one currency. */
    function secondVolume(trade: Trade): number {
      const [one, other] = [trade.quote(first), trade.quote(second)];
      if (!one || !other) return 0;
      const value = params.volume * trade.symbol(first).contractSize * one.bid;
      return trade.roundVolume(second, value / (trade.symbol(second).contractSize * other.bid));
    }
  },
});
