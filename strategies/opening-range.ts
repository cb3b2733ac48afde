import { defineStrategy, type Bar, type Trade } from '@libs/strategy';
import { IsInt, IsNumber, IsPositive, Max, Min } from 'class-validator';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

class OpeningRangeParams {
  /** Start of the range, in minutes after midnight UTC. */
  @IsInt() @Min(0) @Max(1_439) start: number = 420;
  /** Length of the range, in minutes. */
  @IsInt() @Min(1) @Max(720) length: number = 60;
  /** How long the orders wait after the range, in minutes. */
  @IsInt() @Min(1) @Max(1_440) wait: number = 240;
  /** Distance of the take-profit, in heights of the range. */
  @IsNumber() @IsPositive() reward: number = 1.5;
  /** Loss at the stop-loss, in percent of the equity. */
  @IsNumber() @IsPositive() @Max(5) riskPct: number = 0.5;
}

/**
 * Places a buy stop above and a sell stop below the range of the first minutes of a session; the fill of one cancels the
 * other (OCO). The rules read only bars, positions and orders, so a restart changes nothing but that a range which ends
 * while the daemon is down is not traded.
 */
export default defineStrategy({
  version: 1,
  params: OpeningRangeParams,
  streams: ['main'],
  warmupBars: ({ length }) => length,
  create: ({ params, streams: { main } }) => {
    let lastCloseMs: number | null = null;

    return {
      onBar(_bar, trade) {
        const beganMs = Math.floor((trade.timeMs - params.start * minuteMs) / dayMs) * dayMs + params.start * minuteMs;
        const endsMs = beganMs + params.length * minuteMs;
        const hasJustEnded = lastCloseMs !== null && lastCloseMs < endsMs && trade.timeMs >= endsMs;
        lastCloseMs = trade.timeMs;
        if (trade.warmingUp || trade.inFlight > 0) return;
        if (!hasJustEnded || trade.positions(main).length + trade.orders(main).length > 0) return;
        const range = trade.bars(main, params.length).filter(({ timeMs }) => timeMs >= beganMs && timeMs < endsMs);
        if (range.length > 0) place(trade, range, endsMs + params.wait * minuteMs);
      },
    };

    function place(trade: Trade, range: readonly Bar[], expirationMs: number): void {
      const quote = trade.quote(main);
      if (!quote) return;
      const { tickSize, stopsDistance } = trade.symbol(main);
      const high = trade.roundPrice(
        main,
        Math.max(...range.map((bar) => bar.high)) + (quote.ask - quote.bid) + tickSize,
      );
      const low = trade.roundPrice(main, Math.min(...range.map((bar) => bar.low)) - tickSize);
      const height = high - low;
      const isOutside = quote.ask + stopsDistance >= high || quote.bid - stopsDistance <= low;
      const risk = (trade.equity * params.riskPct) / 100;
      const volume = trade.volumeFor(main, { risk, stopDistance: height });
      if (isOutside || volume === 0) {
        trade.log('no orders', { high, low, bid: quote.bid, ask: quote.ask, volume });
        return;
      }
      const target = params.reward * height;
      const tp = { buy: trade.roundPrice(main, high + target), sell: trade.roundPrice(main, low - target) };
      const order = { stream: main, kind: 'stop', volume, expirationMs } as const;
      trade.oco([
        { ...order, side: 'buy', price: high, sl: low, tp: tp.buy },
        { ...order, side: 'sell', price: low, sl: high, tp: tp.sell },
      ]);
    }
  },
});
