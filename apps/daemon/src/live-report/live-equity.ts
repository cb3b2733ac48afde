import { Decimal } from 'decimal.js';
import { EquityCurve, type EquityPoint } from '../backtest/equity-curve';
import { sum } from '../backtest/exact-sum';
import { floatingOf } from '../core/book-view';
import type { LiveBar } from './live-bars';
import type { LiveFill, LivePosition } from './live-position';
import type { Span } from './live-trade';

/** The prices of a symbol at a gateway in a period, and what a change of them is worth. */
export interface PricedSymbol {
  readonly gateway: string;
  readonly symbol: string;
  readonly bars: readonly LiveBar[];
  readonly barMs: number;
  /** The smallest change of the price. */
  readonly tickSize: number;
  /** What that change is worth for one lot now, in the account's currency. */
  readonly tickValue: number;
}

/** The equity of a period, and what is open at its end. */
export interface LiveEquity {
  /** Between its first and last instant: at the close of each bar with something open or changed. */
  readonly equity: readonly EquityPoint[];
  /** Result of the deals, exact. */
  readonly realized: number;
  /** Floating result at the end: that of the terminal for a period that ends now, and reconstructed otherwise. */
  readonly unrealized: number;
}

/** Gains below this many ticks say too little about the worth of a tick. */
const fewestTicks = 20;

/**
 * The equity of positions over a period: the capital, the results of deals from when they were made, and between them what is
 * open at the closes of the bars.
 */
export function liveEquity(
  positions: readonly LivePosition[],
  symbols: readonly PricedSymbol[],
  { fromMs, toMs }: Span,
  capital: number,
): LiveEquity {
  const last: LastBars = new Map();
  const held = positions.map((position) => new HeldPosition(position, symbols, last));
  const fills = held
    .flatMap((position) => position.of.fills.map((fill) => ({ fill, position })))
    .sort((a, b) => a.fill.timeMs - b.fill.timeMs || a.fill.deal - b.fill.deal);
  const curve = new EquityCurve();
  let [next, balance] = [0, new Decimal(capital)];
  const open = new Set<HeldPosition>();
  const book = (untilMs: number): void => {
    for (let one = fills[next]; one !== undefined && one.fill.timeMs <= untilMs; one = fills[++next]) {
      balance = balance.plus(one.fill.realized);
      one.position.take(one.fill);
      if (one.position.isOpen) open.add(one.position);
      else open.delete(one.position);
    }
  };
  for (const { closeMs, prices } of closes(symbols)) {
    for (const { symbol, bar } of prices) last.set(symbol, bar);
    if (closeMs <= fromMs || closeMs > toMs) continue;
    book(closeMs);
    const floating = [...open].reduce((total, position) => total + position.floating, 0);
    curve.note(closeMs, estimated(balance.toNumber() + floating), open.size > 0);
  }
  book(Infinity);
  const ends = held.filter(({ isOpen }) => isOpen).map((position) => position.end);
  return { equity: curve.all, realized: sum(fills.map(({ fill }) => fill.realized)), unrealized: sum(ends) };
}

/** The newest bar of each symbol. */
type LastBars = Map<PricedSymbol, LiveBar>;

/** One position while the market goes by. */
class HeldPosition {
  private volume = new Decimal(0);
  private entry = 0;
  private readonly priced: PricedSymbol | null;
  /** What a change of the price by 1 is worth for one lot. */
  private readonly worth: number;
  private readonly sign: 1 | -1;

  constructor(
    readonly of: LivePosition,
    symbols: readonly PricedSymbol[],
    private readonly last: LastBars,
  ) {
    this.sign = of.fills[0]?.side === 'sell' ? -1 : 1;
    this.priced = symbols.find(({ gateway, symbol }) => gateway === of.gateway && symbol === of.symbol) ?? null;
    this.worth = this.priced === null ? 0 : worthOf(of, this.sign, this.priced);
  }

  get isOpen(): boolean {
    return this.volume.gt(0);
  }

  /** Result of what is open, at the close of the last bar; 0 before the first. */
  get floating(): number {
    const bar = this.priced === null ? undefined : this.last.get(this.priced);
    if (bar === undefined) return 0;
    // A sold position is closed at the ask.
    const price = this.sign === 1 ? bar.close : bar.close + bar.spread;
    return this.sign * (price - this.entry) * this.volume.toNumber() * this.worth;
  }

  /** The floating result at the end of the period. */
  get end(): number {
    return this.of.row === null ? estimated(this.floating) : floatingOf(this.of.row).toNumber();
  }

  take({ entry, volume, price }: LiveFill): void {
    if (entry !== 'in') {
      this.volume = this.volume.minus(volume);
      return;
    }
    const before = this.volume.toNumber();
    this.entry = (this.entry * before + price * volume) / (before + volume);
    this.volume = this.volume.plus(volume);
  }
}

/**
 * What a change of the price by 1 is worth for one lot, in the account's currency: as the position's own closing deals show it,
 * else by the tick value of now.
 */
function worthOf({ fills }: LivePosition, sign: 1 | -1, { tickSize, tickValue }: PricedSymbol): number {
  const now = tickSize > 0 ? tickValue / tickSize : 0;
  const entries = fills.filter(({ entry }) => entry === 'in');
  const lots = entries.reduce((total, { volume }) => total + volume, 0);
  const entry =
    entries.reduce((total, { price, volume }) => total + price * volume, 0) / Math.max(lots, Number.EPSILON);
  const exits = fills.filter((fill) => fill.entry !== 'in');
  const moved = exits.reduce((total, { price, volume }) => total + sign * (price - entry) * volume, 0);
  const exited = exits.reduce((total, { volume }) => total + volume, 0);
  const profit = exits.reduce(
    (total, { realized, commission, swap, fee }) => total + realized - commission - swap - fee,
    0,
  );
  const isTelling = exited > 0 && Math.abs(moved / exited) >= fewestTicks * tickSize && profit / moved > 0;
  return isTelling ? profit / moved : now;
}

interface Closes {
  readonly closeMs: number;
  readonly prices: readonly { readonly symbol: PricedSymbol; readonly bar: LiveBar }[];
}

/** The bars of all symbols by the instants at which they close. */
function closes(symbols: readonly PricedSymbol[]): readonly Closes[] {
  const byTime = new Map<number, { symbol: PricedSymbol; bar: LiveBar }[]>();
  for (const symbol of symbols) {
    for (const bar of symbol.bars) {
      const closeMs = bar.openMs + symbol.barMs;
      const same = byTime.get(closeMs);
      if (same) same.push({ symbol, bar });
      else byTime.set(closeMs, [{ symbol, bar }]);
    }
  }
  return [...byTime].sort(([a], [b]) => a - b).map(([closeMs, prices]) => ({ closeMs, prices }));
}

/** An amount that is computed from prices, with a digit more than any currency has. */
function estimated(amount: number): number {
  return Math.round(amount * 1e4) / 1e4;
}
