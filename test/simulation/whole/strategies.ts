import {
  defineStrategy,
  type PendingOrder,
  type Position,
  type Side,
  type Strategy,
  type Stream,
  type Trade,
} from '@libs/strategy';
import { IsBoolean, IsNumber } from 'class-validator';

/** Parameters of every simulated strategy. */
class SimulatedParams {
  /** Market time after which nothing is entered, in milliseconds since the epoch. */
  @IsNumber() untilMs: number = 0;
  /** Makes strategies of one kind differ. */
  @IsNumber() salt: number = 0;
  /** Whether pending orders are changed, and placed in groups. */
  @IsBoolean() changesOrders: boolean = false;
  /** Whether stop-losses of positions are trailed. */
  @IsBoolean() trails: boolean = false;
}

const digits: Readonly<Record<string, number>> = { EURUSD: 5, USDJPY: 3 };

function rounded(price: number, symbol: string): number {
  return Number(price.toFixed(digits[symbol] ?? 5));
}

/** From 0 to below 1, from market time alone: a strategy has no randomness, and a restart goes on as the run before. */
function draw(timeMs: number, salt: number): number {
  let mixed = (Math.floor(timeMs) ^ Math.imul(salt + 1, 0x9e37_79b1)) >>> 0;
  for (const shift of [16, 15, 16]) mixed = Math.imul(mixed ^ (mixed >>> shift), 0x85eb_ca6b) >>> 0;
  return mixed / 4_294_967_296;
}

const sideOf = (share: number): Side => (share < 0.5 ? 'buy' : 'sell');

/** Levels around a price: far from the market, or so near that the broker soon closes the position. */
function levels(
  price: number,
  side: Side,
  symbol: string,
  share: number,
): { readonly sl: number; readonly tp: number } {
  const [away, gain] = share < 0.3 ? [0.0002, 0.0002] : [0.01, 0.02];
  const sign = side === 'buy' ? 1 : -1;
  return { sl: rounded(price * (1 - sign * away), symbol), tp: rounded(price * (1 + sign * gain), symbol) };
}

/** Changes, reduces or closes one of the positions. */
function manage(trade: Trade, position: Position, salt: number): void {
  const { symbol, side, avgPrice, volume } = position;
  const share = draw(trade.timeMs, salt + 7);
  if (share < 0.35 && volume > 0.015) trade.closePart(position, 0.01);
  else if (share < 0.6) trade.close(position);
  else if (share < 0.7) trade.protect(position, { tp: null });
  else trade.protect(position, { sl: levels(avgPrice, side, symbol, 0.5 + share / 10).sl });
}

/** Trails the stop-loss of a position so near that it moves with many quotes and closes some; or ends that. */
function trail(trade: Trade, position: Position, share: number): void {
  const { symbol, avgPrice } = position;
  if (position.trail !== null && share < 0.3) return void trade.trail(position, null);
  const distance = rounded(avgPrice * 0.000_2, symbol);
  const step = rounded(avgPrice * 0.000_02, symbol);
  const activateAt = rounded(avgPrice * 0.000_05, symbol);
  trade.trail(position, { distance, step, ...(share < 0.6 ? {} : { activateAt }) });
}

/** Closes what is left after the last entry, also after an exit that was refused while trading was halted. */
function leave(trade: Trade, untilMs: number): boolean {
  if (trade.timeMs <= untilMs) return false;
  for (const position of trade.positions()) trade.close(position);
  return true;
}

/**
 * Enters at the close of bars with stop-loss and take-profit; reduces, changes and closes between them. Keeps how often it has
 * decided.
 */
const entries = defineStrategy({
  version: 1,
  params: SimulatedParams,
  warmupBars: 3,
  state: { version: 1, initial: { decisions: 0 } },
  create: ({ params: { untilMs, salt, trails }, streams }) => ({
    onBar(bar, trade) {
      const stream = streams[bar.stream];
      if (trade.warmingUp || leave(trade, untilMs)) return;
      if (stream === undefined || trade.positions().length >= 4) return;
      trade.state.decisions += 1;
      const share = draw(bar.timeMs, salt);
      enter(trade, stream, sideOf(share), share);
    },
    onTick(tick, trade) {
      if (trade.timeMs > untilMs || trade.inFlight > 0 || draw(tick.timeMs, salt) > 0.12) return;
      trade.state.decisions += 1;
      const [position] = trade.positions(tick.stream);
      const stream = streams[tick.stream];
      const share = draw(tick.timeMs, salt + 5);
      if (position && trails && share < 0.5) trail(trade, position, share * 2);
      else if (position) manage(trade, position, salt);
      else if (stream) enter(trade, stream, sideOf(draw(tick.timeMs, salt + 1)), draw(tick.timeMs, salt + 2));
    },
  }),
});

function enter(trade: Trade, stream: Stream, side: Side, share: number): void {
  const quote = trade.quote(stream);
  if (quote === null) return;
  const volume = 0.01 + Math.floor(share * 4) / 100;
  const options = { volume, ...levels(quote.bid, side, stream.symbol, share) };
  if (side === 'buy') trade.buy(stream, options);
  else trade.sell(stream, options);
}

/**
 * Rests pending orders near the market and far from it, some of which lapse, and some of which are in groups; changes and
 * cancels some.
 */
const pending = defineStrategy({
  version: 1,
  params: SimulatedParams,
  warmupBars: 1,
  create: ({ params: { untilMs, salt, changesOrders, trails }, streams }) => ({
    onBar(_, trade) {
      if (!trade.warmingUp) leave(trade, untilMs);
    },
    onTick(tick, trade) {
      const share = draw(tick.timeMs, salt);
      if (trade.timeMs > untilMs || share > 0.18 || trade.inFlight > 1) return;
      const stream = streams[tick.stream];
      const [order] = trade.orders(tick.stream);
      const [position] = trade.positions(tick.stream);
      if (order && share < 0.06) trade.cancel(order);
      else if (order && changesOrders && share < 0.09) change(trade, order, draw(tick.timeMs, salt + 4));
      else if (position && trails && share < 0.08) trail(trade, position, draw(tick.timeMs, salt + 5));
      else if (position && share < 0.12) manage(trade, position, salt);
      else if (stream && trade.orders().length < 4) {
        const where = draw(tick.timeMs, salt + 3);
        if (changesOrders && draw(tick.timeMs, salt + 4) < 0.25) straddle(trade, stream, tick.bid);
        else rest(trade, stream, tick.bid, where);
      }
    },
  }),
});

/** Moves an order, or gives it levels or another expiration. */
function change(trade: Trade, order: PendingOrder, share: number): void {
  const { symbol, side, price } = order;
  const moved = rounded(price * (1 + (share - 0.5) * 0.000_2), symbol);
  if (share < 0.3) trade.modify(order, { price: moved });
  else if (share < 0.5) trade.modify(order, levels(price, side, symbol, 0.9));
  else if (share < 0.6) trade.modify(order, { tp: null });
  else if (share < 0.8) trade.modify(order, { expirationMs: trade.timeMs + 240_000 });
  else trade.modify(order, { price: moved, expirationMs: null });
}

function rest(trade: Trade, stream: Stream, bid: number, share: number): void {
  const side = sideOf(share);
  const distance = (share * 10) % 1 < 0.5 ? 0.0001 : 0.005;
  const kind = (share * 100) % 1 < 0.5 ? 'limit' : 'stop';
  const below = (side === 'buy') === (kind === 'limit');
  const price = rounded(bid * (below ? 1 - distance : 1 + distance), stream.symbol);
  const expires = (share * 1_000) % 1 < 0.4 ? { expirationMs: trade.timeMs + 180_000 } : {};
  const options = { kind, price, volume: 0.02, ...levels(price, side, stream.symbol, 0.9), ...expires } as const;
  if (side === 'buy') trade.buy(stream, options);
  else trade.sell(stream, options);
}

/** A limit order on each side of the market, of which the fill of one cancels the other. */
function straddle(trade: Trade, stream: Stream, bid: number): void {
  const { symbol } = stream;
  const [buyAt, sellAt] = [rounded(bid * 0.9999, symbol), rounded(bid * 1.0003, symbol)];
  const order = { stream, kind: 'limit', volume: 0.02 } as const;
  trade.oco([
    { ...order, side: 'buy', price: buyAt, ...levels(buyAt, 'buy', symbol, 0.9) },
    { ...order, side: 'sell', price: sellAt, ...levels(sellAt, 'sell', symbol, 0.9) },
  ]);
}

/** Opens stacks of three layers, and closes all of them some bars later. */
const stack = defineStrategy({
  version: 1,
  params: SimulatedParams,
  warmupBars: 2,
  create: ({ params: { untilMs, salt }, streams }) => ({
    onBar(bar, trade) {
      const stream = streams[bar.stream];
      if (trade.warmingUp || stream === undefined || leave(trade, untilMs)) return;
      const share = draw(bar.timeMs, salt);
      const held = trade.positions();
      if (held.length > 0 && share < 0.5) for (const position of held) trade.close(position);
      if (held.length > 0 || trade.inFlight > 0) return;
      const spacing = bar.close * 0.000_05;
      const distances = { slDistance: bar.close * 0.01, tpDistance: bar.close * 0.02 };
      trade.stack({
        stream,
        direction: sideOf(share),
        layers: 3,
        spacing,
        volume: 0.02,
        within: 300_000,
        ...distances,
      });
    },
  }),
});

/** The strategies by the paths of their files. */
export const simulatedStrategies: ReadonlyMap<string, Strategy> = new Map([
  ['/strategies/entries.ts', entries],
  ['/strategies/pending.ts', pending],
  ['/strategies/stack.ts', stack],
]);
