import { Decimal } from 'decimal.js';
import type { ComparedTrade } from './compared-trade';

/** Why the results of a live trade and of its counterpart in the backtest differ. */
export type PairCause =
  | 'entry: the market moved before the fill'
  | 'entry: fill against the quote of that moment'
  | 'entry price'
  | 'exit: the market moved before the fill'
  | 'exit: fill against the quote of that moment'
  | 'exit price'
  | 'closed at a different time or for a different reason'
  | 'open at the end'
  | 'volume'
  | 'conversion rate'
  | 'commission'
  | 'swap'
  | 'not explained';

/** A part of a difference, in the account's currency. */
export interface Part<Cause extends string = string> {
  readonly cause: Cause;
  readonly amount: number;
}

/** What is known of the moment of the fills of a live trade. */
export interface PairFacts {
  /** What a change of the price by 1 is worth for one lot, where the trade itself does not show it. */
  readonly worth: number;
  /** Price at which the broker would have filled at the moment of the live entry: its ask for a buy; null if not known. */
  readonly entryQuote: number | null;
  /** The same for the exit. */
  readonly exitQuote: number | null;
  /** Trades that are closed within this time for the same reason are closed by the same exit, in milliseconds. */
  readonly toleranceMs: number;
  /** Decimals of the account's currency. */
  readonly moneyDigits: number;
}

/**
 * The parts of the difference of a pair, live minus backtest: they sum up to it, to the last digit. What is left after all parts
 * that can be computed is `not explained`.
 */
export function partsOf(live: ComparedTrade, backtest: ComparedTrade, facts: PairFacts): readonly Part<PairCause>[] {
  const scale = new Decimal(live.volume).div(backtest.volume);
  const scaled = (amount: number): Decimal => scale.times(amount);
  const costs: readonly [PairCause, Decimal][] = [
    ['volume', scaled(backtest.net).minus(backtest.net)],
    ['commission', new Decimal(live.commission).minus(scaled(backtest.commission))],
    ['swap', new Decimal(live.swap).minus(scaled(backtest.swap))],
  ];
  const prices = priceParts(live, backtest, facts);
  const parts = [...costs, ...prices].map(([cause, amount]) => ({ cause, amount: inCurrency(amount, facts) }));
  const whole = new Decimal(live.net).minus(backtest.net);
  const rest = parts.reduce((left, { amount }) => left.minus(amount), whole);
  const last = remainderOf(live, backtest, facts.toleranceMs);
  return [...parts, { cause: last, amount: rest.toNumber() }].filter(({ amount }) => amount !== 0);
}

function priceParts(live: ComparedTrade, backtest: ComparedTrade, facts: PairFacts): readonly [PairCause, Decimal][] {
  const { volume, side } = live;
  const sign = side === 'buy' ? 1 : -1;
  const worth = worthOf(live) ?? new Decimal(facts.worth);
  // A higher entry costs a buyer, a higher exit brings more.
  const worthOfChange = (from: number, to: number, way: 1 | -1): Decimal =>
    new Decimal(to)
      .minus(from)
      .times(sign * way)
      .times(volume)
      .times(worth);
  const split = (
    word: 'entry' | 'exit',
    from: number,
    to: number,
    quote: number | null,
    way: 1 | -1,
  ): [PairCause, Decimal][] =>
    quote === null
      ? [[`${word} price`, worthOfChange(from, to, way)]]
      : [
          [`${word}: the market moved before the fill`, worthOfChange(from, quote, way)],
          [`${word}: fill against the quote of that moment`, worthOfChange(quote, to, way)],
        ];
  const entry = split('entry', backtest.entryPrice, live.entryPrice, facts.entryQuote, -1);
  if (!isSameExit(live, backtest, facts.toleranceMs)) return entry;
  const exit = split('exit', backtest.exitPrice ?? 0, live.exitPrice ?? 0, facts.exitQuote, 1);
  const other = worthOf(backtest);
  if (other === null) return [...entry, ...exit];
  const moved = new Decimal(backtest.exitPrice ?? 0).minus(backtest.entryPrice).times(sign).times(volume);
  return [...entry, ...exit, ['conversion rate', moved.times(worth.minus(other))]];
}

/** What a change of the price by 1 was worth for one lot, as a closed trade shows it; null if it does not. */
function worthOf({ side, volume, entryPrice, exitPrice, net, commission, swap }: ComparedTrade): Decimal | null {
  if (exitPrice === null || exitPrice === entryPrice) return null;
  const moved = new Decimal(exitPrice).minus(entryPrice).times(side === 'buy' ? volume : -volume);
  return new Decimal(net).minus(commission).minus(swap).div(moved);
}

function isSameExit(live: ComparedTrade, backtest: ComparedTrade, toleranceMs: number): boolean {
  if (live.closedMs === null || backtest.closedMs === null) return false;
  return live.exitReason === backtest.exitReason && Math.abs(live.closedMs - backtest.closedMs) <= toleranceMs;
}

/** What remains of a pair with the same exit has no cause; otherwise it is the effect of the other exit. */
function remainderOf(live: ComparedTrade, backtest: ComparedTrade, toleranceMs: number): PairCause {
  if (live.closedMs === null && backtest.closedMs === null) return 'open at the end';
  if (isSameExit(live, backtest, toleranceMs)) return 'not explained';
  return 'closed at a different time or for a different reason';
}

function inCurrency(amount: Decimal, { moneyDigits }: PairFacts): number {
  return amount.toDecimalPlaces(moneyDigits).toNumber();
}
