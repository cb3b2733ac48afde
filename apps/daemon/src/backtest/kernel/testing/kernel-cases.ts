import fc from 'fast-check';
import {
  defineStrategy,
  type PendingEntry,
  type PendingOrder,
  type Side,
  type StopLimitEntry,
  type Strategy,
  type Stream,
  type Trade,
  type Trail,
} from '@libs/strategy';
import { spec } from '../../../core/testing/spec';
import type { StrategySpec } from '../../../core/strategy-spec';
import { barNumbers, barOf, type BarNumbers } from '../../../strategies/worker/bar-numbers';
import { StrategyInstance } from '../../../strategies/worker/strategy-instance';
import type { View } from '../../../live/view';
import { Backtest, type LoadedStrategy } from '../../backtest';
import { BacktestGateway } from '../../backtest-gateway';
import { BacktestMarket, type MarketOptions } from '../../backtest-market';
import { backtestLimits } from '../../backtest.config';
import { changesByDay } from '../../daily-changes';
import { curveOf, figuresOf, figuresOfTally, type FiguredRun } from '../../figures';
import { unpackedResult } from '../../packed-result';
import { KernelMarket } from '../kernel-market';
import { KernelRun, type KernelStrategy } from '../kernel-run';
import { unknownTerm } from '../kernel-terms';
import { NeedsEngineError } from '../needs-engine-error';
import type { KernelWorld } from './kernel-worlds';

const entries = ['buy', 'sell', 'buy', 'sell', 'close', 'part', 'protect', 'protect'] as const;
const pendings = ['limit', 'stop', 'stop_limit', 'oco', 'oco', 'modify', 'cancel'] as const;
const rare = ['close twice', 'close more', 'cancel twice', 'modify gone'] as const;

/** What a strategy does at a bar, or after a fill; distances are shares of the usual height of a bar. */
export interface Action {
  readonly what: (typeof entries | typeof pendings | typeof rare)[number] | 'trail' | 'untrail';
  /** Which of its positions or orders; the side of a pending order. */
  readonly which: number;
  /** Hundredths of a lot; some are refused. */
  readonly volume: number;
  /** Points that an entry may slip; null: not stated. Some are refused. */
  readonly deviation: number | null;
  readonly sl: number | null;
  readonly tp: number | null;
  /** The least change of a trailing stop; `sl` is its distance, and `tp` the profit from which on it follows. */
  readonly step: number | null;
  /** From the market to a pending order; the stop-limit's own price is so far from that. */
  readonly away: number;
  /** Seconds until a pending order lapses; null: it does not, or no longer does. */
  readonly lasts: number | null;
}

/** A random strategy over a part of a world. */
export interface KernelCase {
  readonly world: number;
  /** Bars before the start, and bars of the run. */
  readonly from: number;
  readonly length: number;
  readonly timeframe: 1 | 5;
  readonly warmupBars: number;
  readonly actions: readonly (Action | null)[];
  readonly afterFills: readonly (Action | null)[];
  /** Whether it reads what it may read at each event. */
  readonly looks: boolean;
}

/** One below 0 is on the wrong side of the market. */
const distance = fc.option(
  fc.oneof(
    { weight: 16, arbitrary: fc.double({ min: 0.2, max: 4, noNaN: true }) },
    { weight: 3, arbitrary: fc.double({ min: -1, max: 0.2, noNaN: true }) },
  ),
  { nil: null },
);
const action: fc.Arbitrary<Action> = fc.record({
  what: fc.oneof(
    { weight: 16, arbitrary: fc.constantFrom(...entries) },
    { weight: 5, arbitrary: fc.constantFrom('trail', 'trail', 'trail', 'untrail') },
    { weight: 10, arbitrary: fc.constantFrom(...pendings) },
    { weight: 2, arbitrary: fc.constantFrom(...rare) },
  ),
  which: fc.nat(3),
  volume: fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(1, 2, 7, 10, 33, 100) },
    { weight: 1, arbitrary: fc.constantFrom(0.5, 1.5, 11_000) },
  ),
  deviation: fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(null, null, 5) },
    { weight: 1, arbitrary: fc.constant(2_000) },
  ),
  ...{ sl: distance, tp: distance },
  step: fc.option(fc.double({ min: 0.01, max: 1, noNaN: true }), { nil: null }),
  away: fc.oneof(
    { weight: 12, arbitrary: fc.double({ min: 0.05, max: 3, noNaN: true }) },
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.double({ min: -1, max: 0, noNaN: true }) },
  ),
  lasts: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 4, arbitrary: fc.constantFrom(60, 120, 300, 7_200, 90, 100) },
    { weight: 1, arbitrary: fc.double({ min: -10, max: 4_000, noNaN: true }) },
  ),
});
const doing = (most: number, actions: number) =>
  fc.array(fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: actions, arbitrary: action }), {
    ...{ minLength: 1, maxLength: most, size: 'max' as const },
  });

/** Random strategies over some worlds. */
export function kernelCases(worlds: number): fc.Arbitrary<KernelCase> {
  return fc.record({
    ...{ world: fc.nat(worlds - 1), from: fc.nat(450), length: fc.integer({ min: 20, max: 200 }) },
    ...{ timeframe: fc.constantFrom(1, 1, 5), warmupBars: fc.nat(3) },
    ...{ actions: doing(60, 3), afterFills: doing(9, 1), looks: fc.boolean() },
  });
}

const quiet: Action = {
  ...{ what: 'buy', which: 0, volume: 10, deviation: null, sl: null, tp: null, step: null, away: 1, lasts: null },
};
const bars = (count: number): null[] => Array.from({ length: count }, () => null);

/** Trailing stops that seldom move, and begin again from the best price after their stop-loss was removed. */
export const trailingCase: KernelCase = {
  ...{ world: 0, from: 50, length: 200, timeframe: 1, warmupBars: 0, afterFills: [null], looks: true },
  actions: [
    ...[quiet, { ...quiet, what: 'trail', sl: 4, step: 1 } as const, ...bars(7)],
    ...[{ ...quiet, what: 'protect' } as const, ...bars(4), { ...quiet, what: 'close' } as const],
  ],
};

/** Groups around the market, which lapse, are changed, and are cancelled before they fill. */
export const groupCase: KernelCase = {
  ...{ world: 0, from: 50, length: 200, timeframe: 1, warmupBars: 0, afterFills: [null], looks: true },
  actions: [
    ...[{ ...quiet, what: 'oco', away: 2, lasts: 300 } as const, null, { ...quiet, what: 'cancel' } as const, null],
    ...[{ ...quiet, what: 'modify', away: 1.5, step: 1 } as const, ...bars(5), { ...quiet, what: 'close' } as const],
  ],
};

/** What came of a run on one side, with all that the strategy saw. */
export interface CaseOutcome {
  readonly fills: readonly unknown[];
  readonly figures: unknown;
  readonly days: readonly unknown[];
  readonly costs: unknown;
  /** Rows of time and equity. */
  readonly equity: readonly number[];
  readonly seen: readonly string[];
}

/** A strategy that runs on both sides, and what it notes. */
export interface Noted {
  readonly strategy: LoadedStrategy & KernelStrategy;
  readonly seen: readonly string[];
}

export type Period = Pick<MarketOptions, 'fromMs' | 'toMs'>;

const limits = backtestLimits({});
const mostOpen = 4;
const markets = new Map<string, KernelMarket>();

/** A run of a strategy in a world. */
export class WorldRun {
  private readonly spec: StrategySpec;
  private readonly prices: Omit<MarketOptions, 'pastBars' | 'fromMs' | 'toMs'>;

  constructor(
    private readonly world: KernelWorld,
    readonly stream: Stream,
    private readonly period: Period,
    changes: Partial<StrategySpec> = {},
  ) {
    const { files, broker } = world;
    const capital = broker.SIM_CURRENCY === 'JPY' ? 5_000_000 : 20_000;
    this.spec = { ...spec, streams: [stream], capital, ...changes };
    this.prices = { files, streams: [stream], balance: this.spec.capital, broker, acceptFaulty: false };
  }

  async inEngine({ strategy, seen }: Noted): Promise<CaseOutcome> {
    const { pastBars } = strategy.loaded;
    const market = await BacktestMarket.open({ ...this.prices, ...this.period, pastBars });
    const backtest = new Backtest(this.spec, strategy, market, new BacktestGateway(market, limits, 0), 2_000);
    const result = unpackedResult(await backtest.run(() => undefined));
    await market.close();
    return outcomeOf(result, this.spec.capital, seen);
  }

  /**
   * @param wanted without `ledger` the outcome has no deals, unless the strategy hears of them; without `curve` not every minute
   * @returns the reason where the kernel leaves it to the engine
   */
  async inKernel({ strategy, seen }: Noted, wanted = { ledger: true, curve: true }): Promise<CaseOutcome | string> {
    const { loaded } = strategy;
    try {
      const market = await this.kernelMarket();
      const unknown = unknownTerm({ spec: this.spec, loaded, limits, latencyMs: 0, listing: market.listing });
      if (unknown !== null) return unknown;
      const { startMs, endMs } = market.spanOf(this.period, loaded.pastBars[this.stream.alias] ?? 0);
      const run = new KernelRun(this.spec, strategy, market, limits, startMs, endMs, wanted);
      const { tally, curve, equity, ledger } = run.run();
      const figures = figuresOfTally(tally, this.spec.capital, curve);
      const days = changesByDay(curve);
      return {
        fills: ledger?.fills ?? [],
        figures,
        days,
        costs: [...(ledger?.costs ?? [])],
        equity: [...equity],
        seen,
      };
    } catch (error) {
      if (error instanceof NeedsEngineError) return error.message;
      throw error;
    }
  }

  /** Read once for all runs in the world. */
  async kernelMarket(): Promise<KernelMarket> {
    const name = `${this.world.name} ${this.stream.timeframe}`;
    const market = markets.get(name) ?? (await KernelMarket.open(this.prices));
    markets.set(name, market);
    return market;
  }
}

function outcomeOf(result: FiguredRun, capital: number, seen: readonly string[]): CaseOutcome {
  const { fills, rows } = result;
  // The opening balance is a position of no costs to the engine.
  const costs = [...result.costs].filter(([position]) => position !== 0);
  const [figures, days] = [figuresOf(result, capital), changesByDay(curveOf(result, capital))];
  return { fills, figures, days, costs, equity: [...(rows?.equity ?? [])], seen };
}

/** The run of a case, and its strategy, which is made anew for each side. */
export function runOf(world: KernelWorld, one: KernelCase): { readonly run: WorldRun; readonly strategy: () => Noted } {
  const timeframe = one.timeframe === 5 && world.timeframe === 'M1' ? 'M5' : world.timeframe;
  const stream = { alias: 'main', broker: 'backtest', symbol: world.symbol, timeframe };
  const opens = world.opensMs;
  const period = { fromMs: opens[one.from + 20] ?? null, toMs: opens[one.from + 20 + one.length] ?? null };
  return { run: new WorldRun(world, stream, period), strategy: () => scripted(world, one, stream) };
}

function scripted(
  { digits, height }: KernelWorld,
  { actions, afterFills, warmupBars, looks }: KernelCase,
  stream: StrategySpec['streams'][number],
): Noted {
  const seen: string[] = [];
  let [bars, fills, rejects] = [0, 0, 0];
  const note = (event: string, trade: Trade): void => {
    const { equity, timeMs, inFlight } = trade;
    const books = looks ? [trade.positions(), trade.orders()] : [];
    const shown = looks ? [...books, trade.quote('main'), trade.symbol('main'), ...rounded(trade)] : [];
    seen.push(JSON.stringify([event, timeMs, equity, inFlight, ...shown]));
  };
  const act = (one: Action | null | undefined, trade: Trade): void => {
    const quote = trade.quote('main');
    if (!one || !quote) return;
    const unit = height / 10 ** digits;
    const open = trade.positions();
    const position = open[one.which % Math.max(1, open.length)];
    const isBuy = one.what === 'buy' || (one.what !== 'sell' && position?.side === 'buy');
    const sign = isBuy ? 1 : -1;
    const from = isBuy ? quote.bid : quote.ask;
    const levels = {
      ...(one.sl === null ? {} : { sl: from - sign * one.sl * unit }),
      ...(one.tp === null ? {} : { tp: from + sign * one.tp * unit }),
    };
    const volume = one.volume / 100;
    const slip = one.deviation === null ? {} : { deviation: one.deviation };
    // Each look at many positions takes the engine long.
    if (adds(one) && open.length + trade.orders().length >= mostOpen) return;
    if (isOnOrder(one)) return actOnOrder(one, trade, unit);
    if (one.what === 'buy') trade.buy('main', { volume, ...levels, ...slip, tag: 'up' });
    else if (one.what === 'sell') trade.sell('main', { volume, ...levels, ...slip });
    else if (!position) return;
    else if (one.what === 'close') trade.close(position);
    else if (one.what === 'close twice') [position, position].forEach((same) => trade.close(same));
    else if (one.what === 'close more') trade.closePart(position, position.volume + 1);
    else if (one.what === 'part' && volume <= position.volume) trade.closePart(position, volume);
    else if (one.what === 'trail') trade.trail(position, trailOf(one, unit));
    else if (one.what === 'untrail') trade.trail(position, null);
    else if (one.what === 'protect') trade.protect(position, one.sl === null ? { sl: null, ...levels } : levels);
  };
  const definition = defineStrategy({
    version: 1,
    params: class {},
    warmupBars: () => warmupBars,
    create: () => ({
      onBar(bar, trade) {
        note(JSON.stringify(bar), trade);
        if (!trade.warmingUp) act(actions[bars++ % actions.length], trade);
      },
      onFill(fill, trade) {
        note(JSON.stringify(fill), trade);
        act(afterFills[fills++ % afterFills.length], trade);
      },
      onOrderGone(gone, trade) {
        note(JSON.stringify(gone), trade);
        act(afterFills[fills++ % afterFills.length], trade);
      },
      onReject(reject, trade) {
        note(JSON.stringify(reject), trade);
        // What it does then may be rejected again.
        if (++rejects % 3 !== 0) act(afterFills[rejects % afterFills.length], trade);
      },
    }),
  });
  return { seen, strategy: loadedOf(definition, stream) };
}

function adds({ what }: Action): boolean {
  return (
    what === 'buy' || what === 'sell' || what === 'limit' || what === 'stop' || what === 'stop_limit' || what === 'oco'
  );
}

type OrderAction = Action & { readonly what: (typeof pendings)[number] | 'cancel twice' | 'modify gone' };

function isOnOrder(one: Action): one is OrderAction {
  return ([...pendings, 'cancel twice', 'modify gone'] as string[]).includes(one.what);
}

function actOnOrder(one: OrderAction, trade: Trade, unit: number): void {
  const { what, which } = one;
  const orders = trade.orders();
  const order = orders[which % Math.max(1, orders.length)];
  const side = which % 2 === 0 ? 'buy' : 'sell';
  switch (what) {
    case 'limit':
    case 'stop':
    case 'stop_limit': {
      const entry = pendingOf(one, side, what, trade, unit);
      return void (side === 'buy' ? trade.buy('main', entry) : trade.sell('main', entry));
    }
    case 'oco': {
      const kind = which < 2 ? 'stop' : 'limit';
      const sides = ['buy', 'sell'] as const;
      return void trade.oco(
        sides.map((each) => ({ stream: 'main', side: each, ...pendingOf(one, each, kind, trade, unit) })),
      );
    }
    case 'modify': {
      if (order === undefined) return;
      const { price, stoplimit, sl, tp, expirationMs } = pendingOf(one, order.side, order.kind, trade, unit);
      const prices = one.step === null ? {} : { price, ...(stoplimit === undefined ? {} : { stoplimit }) };
      const levels = { ...(sl === undefined ? {} : { sl }), tp: tp ?? null };
      const time = expirationMs !== undefined ? { expirationMs } : which === 1 ? { expirationMs: null } : {};
      return void trade.modify(order, { ...prices, ...levels, ...time });
    }
    case 'cancel':
      return void (order && trade.cancel(order));
    case 'cancel twice':
      return void (order && [order, order].forEach((same) => trade.cancel(same)));
    case 'modify gone':
      return void trade.modify(4_711, { price: 1 });
  }
}

/** A pending order that an action asks for. */
function pendingOf(
  { away, volume, sl, tp, lasts }: Action,
  side: Side,
  kind: PendingOrder['kind'],
  trade: Trade,
  unit: number,
): PendingEntry | StopLimitEntry {
  const quote = trade.quote('main') ?? { bid: 1, ask: 1 };
  const sign = (side === 'buy') === (kind === 'limit') ? -1 : 1;
  const price = (side === 'buy' ? quote.ask : quote.bid) + sign * away * unit;
  const opensAt = kind === 'stop_limit' ? price - sign * away * unit : price;
  const direction = side === 'buy' ? 1 : -1;
  const terms = {
    ...{ price, volume: volume / 100 },
    ...(lasts === null ? {} : { expirationMs: trade.timeMs + lasts * 1_000 }),
    ...(sl === null ? {} : { sl: opensAt - direction * sl * unit }),
    ...(tp === null ? {} : { tp: opensAt + direction * tp * unit }),
  };
  return kind === 'stop_limit' ? { ...terms, kind, stoplimit: opensAt } : { ...terms, kind };
}

function rounded(trade: Trade): readonly number[] {
  return [trade.roundPrice('main', trade.equity / 9_973), trade.roundVolume('main', trade.equity / 99_991)];
}

function trailOf({ sl, tp, step }: Action, unit: number): Trail {
  // The smallest doubles become 0.
  const activateAt = (tp ?? 0) * unit;
  return {
    distance: Math.max(0.01, Math.abs(sl ?? 1)) * unit,
    ...(step === null ? {} : { step: step * unit }),
    ...(activateAt > 0 ? { activateAt } : {}),
  };
}

/** A strategy of the test's own process. */
export function loadedOf(definition: Strategy, stream: Stream): LoadedStrategy & KernelStrategy {
  const instance = new StrategyInstance(definition, { params: {}, streams: [stream], idPrefix: 'i', state: null });
  let shown: { readonly numbers: BarNumbers; readonly view: View; readonly passed: Int32Array } | null = null;
  return {
    loaded: instance.loaded,
    handle: (event, view) => instance.handle(event, view),
    rest: () => Promise.resolve(null),
    showBars: (_, numbers, view, passed) => (shown = { numbers, view, passed }),
    bars: (from, until, isPast) => {
      if (shown === null) return null;
      const { numbers, view, passed } = shown;
      for (let index = from; index < until; index++) {
        passed[0] = index;
        const first = index * barNumbers;
        const [serverMs, timeMs] = [numbers[first + 1], numbers[first + 2]];
        const reaction = instance.handleBar(barOf(numbers, first, stream), serverMs ?? 0, timeMs ?? 0, isPast, view);
        if (reaction !== null) return reaction;
      }
      return null;
    },
  };
}
