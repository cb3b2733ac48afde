import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import {
  isMadeOf,
  recordedTimes,
  replayFile,
  ServerClock,
  Simulator,
  simulatorOptions,
  simulatorSettings,
  timeframeName,
  type DirectTerminal,
  type LimitFill,
  type RecordedMinute,
  type RecordedTimes,
  type SymbolRecording,
} from '@libs/simulator';
import { OrderType, timeframeOf, type BarColumns, type Timeframe } from '@libs/terminal-client';
import type { Account, Fill, Quote, Stream } from '@libs/strategy';
import { timeframeMs } from '../core/event-time';
import { accountOf } from '../gateways/account-state';
import type { Grid } from '../live/view';
import type { ClosedBar } from '../market-data/closed-bar';
import { symbolTermsOf, type BrokerSymbol, type FixedTerms } from '../market-data/symbol-spec';
import type { BarsByStream } from '../strategies/worker/warmup';
import { termsOf, type Assumptions } from './broker-terms';
import { BacktestRefusedError, nothingToTrade, startOf, type Period, type WarmStream } from './period';
import { noFaults } from './accepted-faults';
import { missingPairs } from './conversion-pairs';
import { weekendRows } from './market-week';
import { forgetPrices, keptPrices, type RecordedPrices } from './recorded-prices';
import { asReceived, type ClosedBars, type ReceivedStream } from './received-bars';

export interface MarketOptions extends Period {
  /** Price files of one or more symbols, as SIM_FEED takes them. */
  readonly files: readonly string[];
  readonly streams: readonly Stream[];
  /** Bars of each stream that are history at the start. */
  readonly pastBars: BarsByStream;
  /** Opening balance of the account, in its currency. */
  readonly balance: number;
  /** Further settings of the simulated broker by their names, such as SIM_LEVERAGE. */
  readonly broker: Readonly<Record<string, string>>;
  /** Whether faulty rows are skipped and crossed asks raised, instead of refused. */
  readonly acceptFaulty: boolean;
}

/** Costs of a position besides its price, in the account's currency; negative if paid. */
export interface PositionCosts {
  readonly commission: number;
  readonly swap: number;
  readonly fee: number;
}

/** A stream's bars from the start of the market on. */
interface StreamBars {
  readonly closing: ClosedBars;
  /** Open of the last bar of the past, on the broker's clock in milliseconds. */
  readonly pastMs: number;
}

/** The simulated broker in this process, on recorded prices. The caller advances it: no clock, no sockets, no randomness. */
export class BacktestMarket {
  /** By the stream: two strategies may use the same alias. */
  private readonly bars = new Map<Stream, StreamBars>();
  private readonly received = new Map<Stream, ReceivedStream>();
  private readonly fixed = new Map<string, FixedTerms>();

  private constructor(
    private readonly simulator: Simulator,
    readonly terminal: DirectTerminal,
    readonly times: RecordedTimes,
    /** Instant of the last price to trade at, in UTC milliseconds. */
    readonly endMs: number,
    /** What was accepted of faulty prices, by symbol. */
    readonly faults: RecordedPrices['faults'],
  ) {}

  /** @throws BacktestRefusedError, SettingsError or RecordingError naming what cannot be used */
  static async open({
    files: paths,
    streams,
    pastBars,
    balance,
    broker,
    acceptFaulty,
    ...period
  }: MarketOptions): Promise<BacktestMarket> {
    const files = paths.map(replayFile);
    for (const { symbol } of streams) {
      if (files.some((file) => file.symbol === symbol)) continue;
      const symbols = [...new Set(files.map((file) => file.symbol))].join(', ');
      throw new BacktestRefusedError(`the price files contain ${symbols}, not ${symbol}`);
    }
    const { recordings, faults } = keptPrices(paths, acceptFaulty, broker.SIM_SPREAD === undefined);
    refuseShorter(recordings, streams);
    const settings = readSettings(simulatorSettings, {
      ...broker,
      SIM_SPEED: '0',
      SIM_BALANCE: String(balance),
    });
    const times = recordedTimes(recordings, new ServerClock(settings.SIM_SERVER_TIME_ZONE));
    const startMs = startOf(times, period, pastOf(streams, pastBars));
    const known = settings.SIM_SYMBOLS.symbols.map(({ name }) => name);
    const unknown = [...new Set(files.map(({ symbol }) => symbol))].filter((symbol) => !known.includes(symbol));
    if (unknown.length > 0) {
      throw new BacktestRefusedError(
        `no specification of ${unknown.join(', ')}: pass a file of daemon data spec with --symbols`,
      );
    }
    const traded = streams.map(({ symbol }) => symbol);
    const priced = files.map(({ symbol }) => symbol);
    const problems = missingPairs(traded, priced, settings.SIM_SYMBOLS.symbols, settings.SIM_CURRENCY);
    if (problems.length > 0) throw new BacktestRefusedError(problems.join('\n'));
    // Without a pump, the market moves only when it is advanced.
    const SIM_FEED = { kind: 'replay', files, recordings } as const;
    const started = { ...settings, SIM_FEED, SIM_REPLAY_START: startMs };
    const options = { ...simulatorOptions(started), pumpMs: 0 };
    if (options.account.marginMode !== 'hedging') {
      const set = `SIM_MARGIN_MODE=${options.account.marginMode}`;
      throw new BacktestRefusedError(`a backtest supports only hedging accounts: omit ${set}`);
    }
    const simulator = new Simulator(options, new VirtualClock());
    await simulator.start();
    const endMs = Math.min(period.toMs === null ? times.lastMs : period.toMs - 1, times.lastMs);
    const closed =
      settings.SIM_HOURS === 'always' ? weekendRows(recordings, settings.SIM_SYMBOLS.symbols, startMs, endMs) : [];
    const traced = { ...faults };
    for (const [symbol, weekend] of closed) traced[symbol] = { ...(faults[symbol] ?? noFaults), weekend };
    const market = new BacktestMarket(simulator, simulator.direct(), times, endMs, traced);
    if (market.minutes().next().done !== true) return market;
    const problem = nothingToTrade(market.nowMs, period);
    await market.close();
    throw new BacktestRefusedError(problem);
  }

  /**
   * First and last instant with a price, in UTC milliseconds. Opens the market and closes it: what no run could use is refused.
   * @throws as {@link open}
   */
  static async spanOf(options: MarketOptions): Promise<{ readonly firstMs: number; readonly lastMs: number }> {
    try {
      const market = await BacktestMarket.open(options);
      const { firstMs, lastMs } = market.times;
      await market.close();
      return { firstMs, lastMs };
    } finally {
      forgetPrices();
    }
  }

  /** What a limit order or a target needs inside a bar; null where all prices are ticks. */
  get limitFill(): LimitFill | null {
    const { feed } = this.simulator.options;
    return feed.kind === 'replay' && this.times.hasBars ? (feed.limitFill ?? null) : null;
  }

  /** Assumptions of the run about the broker; the gateway adds `latencyMs`. */
  get assumptions(): Omit<Assumptions, 'latencyMs'> {
    const { feed, account, symbols } = this.simulator.options;
    return {
      spreadPoints: (feed.kind === 'replay' ? feed.spreadPoints : undefined) ?? null,
      slippagePoints: account.slippagePoints ?? 0,
      symbols: Object.fromEntries(symbols.map((spec) => [spec.name, termsOf(spec)])),
    };
  }

  /** Present instant of the market, in UTC milliseconds. */
  get nowMs(): number {
    return this.terminal.marketMs;
  }

  /** Grows with every position, order and deal that comes, changes or goes; prices alone leave it as it is. */
  get revision(): number {
    return this.terminal.revision;
  }

  /** The instant of a time of the broker's clock, both in milliseconds: by the offset of then, not of now. */
  utcMs(serverMs: number): number {
    return this.terminal.serverClock.utcMs(serverMs);
  }

  /** An instant on the broker's clock, both in milliseconds. */
  serverMs(utcMs: number): number {
    return this.terminal.serverClock.serverMs(utcMs);
  }

  /** The instants at which prices come from now on, a minute at a time. */
  minutes(): Generator<RecordedMinute> {
    return this.times.between(this.nowMs, this.endMs);
  }

  advanceTo(utcMs: number): void {
    this.simulator.advanceTo(utcMs);
  }

  /** Decimals of the account's currency. */
  get moneyDigits(): number {
    return this.simulator.options.account.currencyDigits;
  }

  /** The account at present prices. */
  get account(): Account {
    return accountOf(this.terminal.accountInfo());
  }

  /** The present quote; null before the first. */
  quote(symbol: string): Quote | null {
    const quote = this.terminal.quote(symbol);
    return quote && { timeMs: quote.timeMs, bid: quote.bid, ask: quote.ask };
  }

  /** The specification of each stream's symbol at present prices, by alias. */
  symbolSpecs(streams: readonly Stream[]): Readonly<Record<string, BrokerSymbol>> {
    const known = streams.flatMap(({ alias, symbol }): [string, BrokerSymbol][] => {
      const spec = this.symbolSpec(symbol);
      return spec === null ? [] : [[alias, spec]];
    });
    return Object.fromEntries(known);
  }

  /** What prices and volumes of each stream's symbol are rounded to, by alias. */
  grids(streams: readonly Stream[]): Readonly<Record<string, Grid>> {
    const known = streams.flatMap(({ alias, symbol }): [string, Grid][] => {
      const terms = this.fixedTerms(symbol);
      return terms === null ? [] : [[alias, terms]];
    });
    return Object.fromEntries(known);
  }

  /** What no price changes of a symbol; null for an unknown symbol. */
  fixedTerms(symbol: string): FixedTerms | null {
    const known = this.fixed.get(symbol);
    if (known) return known;
    const info = this.terminal.symbolTerms(symbol);
    if (!info) return null;
    const terms = symbolTermsOf(info);
    this.fixed.set(symbol, terms);
    return terms;
  }

  private symbolSpec(symbol: string): BrokerSymbol | null {
    const info = this.terminal.symbolInfo(symbol);
    const terms = info && symbolTermsOf(info);
    const ask = this.terminal.quote(symbol)?.ask ?? null;
    const marginPerLot = ask && this.terminal.orderCalcMargin(OrderType.BUY, symbol, 1, ask);
    return terms && { ...terms, marginPerLot };
  }

  /** Time of the present quote, in UTC milliseconds; null before the first. */
  quoteMs(symbol: string): number | null {
    return this.terminal.quote(symbol)?.timeMs ?? null;
  }

  /** Streams have the bars that a live strategy received, once their {@link history} is read. */
  replay(streams: readonly Stream[], received: readonly ReceivedStream[]): void {
    for (const stream of streams) {
      const own = received.find(({ symbol, timeframe }) => symbol === stream.symbol && timeframe === stream.timeframe);
      if (own) this.received.set(stream, own);
    }
  }

  /** The last closed bars of a stream, ascending; those after them are new from now on. @throws BacktestRefusedError */
  async history(stream: Stream, count: number): Promise<readonly ClosedBar[]> {
    const { symbol } = stream;
    const timeframe = knownTimeframe(stream);
    // One for the bar that forms, and one more, so that the first new bar is known to be new also when none is wanted.
    const columns = timeframe && (await this.copyRates(symbol, timeframe, count + 2));
    // A bar that begins before the prices is not whole, and is left out.
    const cutMs = (timeframe && this.times.cutBarMs(symbol, timeframe)) ?? -Infinity;
    const bars = columns ? this.rowsOf(columns).slice(0, -1) : [];
    const last = bars.at(-1);
    const closing = timeframe && this.terminal.closingBars(symbol, timeframe, last?.timeMs ?? this.times.firstMs);
    if (!columns || !closing) throw new BacktestRefusedError(`there are no bars of ${symbol}@${stream.timeframe}`);
    const shown = asReceived(closing, this.received.get(stream), this);
    this.bars.set(stream, { closing: shown, pastMs: last?.serverMs ?? cutMs });
    return count === 0 ? [] : bars.filter(({ serverMs }) => serverMs > cutMs).slice(-count);
  }

  /** The next bar of a stream that has closed; null when there is none yet. */
  fresh(stream: Stream): ClosedBar | null {
    const bars = this.bars.get(stream);
    if (!bars) return null;
    const { nowMs } = this;
    let bar: ClosedBar | null = bars.closing.next(nowMs);
    while (bar !== null && bar.serverMs <= bars.pastMs) bar = bars.closing.next(nowMs);
    return bar;
  }

  /** Value of half the current spread on a fill, in the account's currency: each side of a trade pays one half. */
  halfSpread({ symbol, volume }: Fill): number {
    const quote = this.terminal.quote(symbol);
    if (!quote) return 0;
    const worth = this.terminal.orderCalcProfit(OrderType.BUY, symbol, volume, quote.bid, quote.ask);
    return (worth ?? 0) / 2;
  }

  /** What the broker charged, by position. */
  costs(): ReadonlyMap<number, PositionCosts> {
    const costs = new Map<number, PositionCosts>();
    const farFuture = 32_503_680_000;
    for (const deal of this.terminal.historyDealsGet({ from: 0, to: farFuture })) {
      const { commission, swap, fee } = costs.get(deal.position_id) ?? { commission: 0, swap: 0, fee: 0 };
      costs.set(deal.position_id, {
        commission: commission + deal.commission,
        swap: swap + deal.swap,
        fee: fee + deal.fee,
      });
    }
    return costs;
  }

  async close(): Promise<void> {
    await this.simulator.stop();
  }

  private async copyRates(symbol: string, timeframe: Timeframe, count: number): Promise<BarColumns | null> {
    const session = this.simulator.connect();
    await session.connect();
    try {
      return await session.copyRatesFromPos(symbol, timeframe, 0, count);
    } finally {
      await session.shutdown();
    }
  }

  private rowsOf(columns: BarColumns): ClosedBar[] {
    return Array.from({ length: columns.time.length }, (_, index) => {
      const at = (name: keyof BarColumns): number => columns[name][index] ?? 0;
      const serverMs = at('time') * 1_000;
      const closedMs = (columns.time[index + 1] ?? at('time')) * 1_000;
      return {
        timeMs: this.utcMs(serverMs),
        serverMs,
        closedMs,
        open: at('open'),
        high: at('high'),
        low: at('low'),
        close: at('close'),
        tickVolume: at('tick_volume'),
      };
    });
  }
}

function pastOf(streams: readonly Stream[], pastBars: BarsByStream): readonly WarmStream[] {
  return streams.flatMap((stream) => {
    const timeframe = knownTimeframe(stream);
    const count = pastBars[stream.alias] ?? 0;
    return timeframe === null ? [] : [{ stream, symbol: stream.symbol, timeframe, count }];
  });
}

/** @throws BacktestRefusedError if the bars of a stream cannot be made of the recorded ones */
function refuseShorter(recordings: readonly SymbolRecording[], streams: readonly Stream[]): void {
  const problems = streams.flatMap((stream) => {
    const recording = recordings.find(({ symbol }) => symbol === stream.symbol);
    const timeframe = knownTimeframe(stream);
    if (recording?.kind !== 'bars' || timeframe === null || isMadeOf(timeframe, recording.timeframe)) return [];
    const recorded = timeframeName(recording.timeframe);
    return [
      `${stream.symbol}@${stream.timeframe} cannot be made of the bars of the price files, which are ${recorded}: ` +
        `use a timeframe of whole ${recorded} bars, such as --timeframe ${recorded}, or files with shorter bars`,
    ];
  });
  if (problems.length > 0) throw new BacktestRefusedError(problems.join('\n'));
}

function knownTimeframe({ timeframe }: Stream): Timeframe | null {
  return timeframeMs(timeframe) === null && timeframe !== 'MN1' ? null : timeframeOf(timeframe);
}
