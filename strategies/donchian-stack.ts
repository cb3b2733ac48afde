import { defineStrategy } from '@libs/strategy';
import { IsInt, IsNumber, IsPositive, Max, Min } from 'class-validator';
import { ATR } from 'trading-signals';

class DonchianParams {
  /** Bars whose high and low a close has to break. */
  @IsInt() @Min(2) channel: number = 55;
  /** Bars whose opposite extreme ends the trade. */
  @IsInt() @Min(2) exit: number = 20;
  /** Layers of the pyramid, the entry included. */
  @IsInt() @Min(1) @Max(10) layers: number = 3;
  /** Distance between layers, in average true ranges. */
  @IsNumber() @IsPositive() spacingAtr: number = 1;
  /** Distance of each layer's stop-loss, in average true ranges. */
  @IsNumber() @IsPositive() stopAtr: number = 4;
  /** Lots of each layer. */
  @IsNumber() @IsPositive() volume: number = 0.1;
}

/** How far back the longer of the two channels reaches, in bars. */
const reachOf = ({ channel, exit }: DonchianParams): number => Math.max(channel, exit);

/** Follows a break-out of the channel of past highs and lows, and adds to the position while it runs. */
export default defineStrategy({
  version: 1,
  params: DonchianParams,
  streams: ['main'],
  warmupBars: (params) => reachOf(params) + 20,
  create: ({ params, streams: { main } }) => {
    const range = new ATR(14);
    return {
      onBar(bar, trade) {
        const past = trade.bars(main, reachOf(params) + 1).slice(0, -1);
        range.add(bar);
        const average = range.getResult();
        if (average === null || trade.warmingUp) return;

        const open = trade.positions(main);
        const [first] = open;
        if (first) {
          const exit = past.slice(-params.exit);
          const lowest = Math.min(...exit.map(({ low }) => low));
          const highest = Math.max(...exit.map(({ high }) => high));
          const isOver = first.side === 'buy' ? bar.close < lowest : bar.close > highest;
          if (isOver) for (const position of open) trade.close(position);
          return;
        }
        const channel = past.slice(-params.channel);
        const isUp = bar.close > Math.max(...channel.map(({ high }) => high));
        const isDown = bar.close < Math.min(...channel.map(({ low }) => low));
        if (!isUp && !isDown) return;
        trade.stack({
          stream: main,
          direction: isUp ? 'buy' : 'sell',
          layers: params.layers,
          spacing: params.spacingAtr * average,
          volume: params.volume,
          slDistance: params.stopAtr * average,
        });
      },
    };
  },
});
