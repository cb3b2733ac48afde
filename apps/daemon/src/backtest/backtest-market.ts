import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import {
  recordedTimes,
  replayFile,
  Simulator,
  simulatorOptions,
  simulatorSettings,
  type RecordedMinute,
  type RecordedTimes,
} from '@libs/simulator';
import { OrderType, timeframeOf, type BarColumns, type TerminalClient } from '@libs/terminal-client';
import type { Fill, Quote, Stream } from '@libs/strategy';
import { timeframeMs, type ClosedBar } from '../market-data/closed-bar';
import { BacktestRefusedError, nothingToTrade, startOf, type Period } from './period';

export interface MarketOptions extends Period {
  /** Price files of one or more symbols, as SIM_FEED takes them. */
  readonly files: readonly string[];
  readonly streams: readonly Stream[];
  /** Bars of each stream that are history at the start. */
  readonly warmupBars: number;
  /** Opening balance of the account, in its currency. */
  readonly balance: number;
  /** Further settings of the simulated broker by their names, such as SIM_LEVERAGE. */
  readonly broker: Readonly<Record<string, string>>;
}

/** What a position cost besides its price, in the account's currency; negative is paid. */
export interface PositionCosts {
  readonly commission: number;
  readonly swap: number;
  readonly fee: number;
}

/** The simulated broker in this process, on recorded prices, moved on by hand: no clock, no sockets, no chance. */
export class BacktestMarket {
  /** Open of the last bar that was handed on, by stream, on the broker's clock. */
  private readonly last = new Map<string, number>();

  private constructor(
    private readonly simulator: Simulator,
    readonly terminal: TerminalClient,
    private readonly times: RecordedTimes,
    /** Instant of the last price to trade at, in UTC milliseconds. */
    readonly endMs: number,
  ) {}

  /** @throws BacktestRefusedError, SettingsError or RecordingError naming what cannot be used */
  static async open({
    files,
    streams,
    warmupBars,
    balance,
    broker,
    ...period
  }: MarketOptions): Promise<BacktestMarket> {
    const recorded = files.map(replayFile);
    for (const { symbol } of streams) {
      if (recorded.some((file) => file.symbol === symbol)) continue;
      const symbols = [...new Set(recorded.map((file) => file.symbol))].join(', ');
      throw new BacktestRefusedError(`the price files are of ${symbols}, not of ${symbol}`);
    }
    const settings = readSettings(simulatorSettings, {
      ...broker,
      SIM_FEED: `replay:${files.join(',')}`,
      SIM_SPEED: '0',
      SIM_BALANCE: String(balance),
      ...startOf(recordedTimes(recorded), period, streams, warmupBars),
    });
    // Without a pump the market stands until it is moved.
    const options = { ...simulatorOptions(settings), pumpMs: 0 };
    if (options.account.marginMode !== 'hedging') {
      const set = `SIM_MARGIN_MODE=${options.account.marginMode}`;
      throw new BacktestRefusedError(`a backtest knows hedging accounts alone: leave ${set} out`);
    }
    const simulator = new Simulator(options, new VirtualClock());
    await simulator.start();
    const terminal = simulator.connect();
    await terminal.connect();
    const { login, password, server } = options.account;
    const outcome = await terminal.login({ login, password, server });
    if (!outcome.ok) throw new Error(`the simulated broker refused the login: ${outcome.lastError.message}`);
    const times = recordedTimes(recorded);
    const endMs = Math.min(period.toMs === null ? times.lastMs : period.toMs - 1, times.lastMs);
    const market = new BacktestMarket(simulator, terminal, times, endMs);
    if (market.minutes().next().done !== true) return market;
    const problem = nothingToTrade(market.nowMs, period);
    await market.close();
    throw new BacktestRefusedError(problem);
  }

  /** Present instant of the market, in UTC milliseconds. */
  get nowMs(): number {
    return this.simulator.feedStatus().positionMs;
  }

  /** The instant of a time of the broker's clock, both in milliseconds: by the offset of then, not of now. */
  utcMs(serverMs: number): number {
    return this.simulator.serverClock.utcMs(serverMs);
  }

  /** An instant on the broker's clock, both in milliseconds. */
  serverMs(utcMs: number): number {
    return this.simulator.serverClock.serverMs(utcMs);
  }

  /** The instants at which prices come from now on, a minute at a time. */
  *minutes(): Generator<RecordedMinute> {
    for (const { instants, firsts } of this.times.from(this.nowMs)) {
      const due = instants.filter((timeMs) => timeMs <= this.endMs);
      if (due.length === 0) return;
      yield { instants: due, firsts };
    }
  }

  advanceTo(utcMs: number): void {
    this.simulator.advanceTo(utcMs);
  }

  async quote(symbol: string): Promise<Quote | null> {
    const tick = await this.terminal.symbolInfoTick(symbol);
    return tick && { timeMs: this.utcMs(tick.time_msc), bid: tick.bid, ask: tick.ask };
  }

  /** The last closed bars of a stream, ascending; those after them are new from now on. @throws BacktestRefusedError */
  async history(stream: Stream, count: number): Promise<readonly ClosedBar[]> {
    // One more, so that the first fresh bar is known to be fresh also when none is asked for.
    const bars = await this.closed(stream, count + 2);
    this.last.set(stream.alias, bars.at(-1)?.serverMs ?? 0);
    return count === 0 ? [] : bars.slice(-count);
  }

  /** Bars of a stream that closed since the last call. */
  async fresh(stream: Stream): Promise<readonly ClosedBar[]> {
    const lastMs = this.last.get(stream.alias) ?? 0;
    const bars = (await this.closed(stream, 3)).filter(({ serverMs }) => serverMs > lastMs);
    this.last.set(stream.alias, bars.at(-1)?.serverMs ?? lastMs);
    return bars;
  }

  /** What half of the present spread is worth on a fill, in the account's currency: each side of a trade pays one half. */
  async halfSpread({ symbol, volume }: Fill): Promise<number> {
    const quote = await this.quote(symbol);
    if (!quote) return 0;
    const worth = await this.terminal.orderCalcProfit(OrderType.BUY, symbol, volume, quote.bid, quote.ask);
    return (worth ?? 0) / 2;
  }

  /** What the broker charged, by position. */
  async costs(): Promise<ReadonlyMap<number, PositionCosts>> {
    const costs = new Map<number, PositionCosts>();
    const farFuture = 32_503_680_000;
    for (const deal of await this.terminal.historyDealsGet({ from: 0, to: farFuture })) {
      const { commission, swap, fee } = costs.get(deal.position_id) ?? { commission: 0, swap: 0, fee: 0 };
      costs.set(deal.position_id, {
        ...{ commission: commission + deal.commission, swap: swap + deal.swap, fee: fee + deal.fee },
      });
    }
    return costs;
  }

  async close(): Promise<void> {
    await this.simulator.stop();
  }

  private async closed({ symbol, timeframe }: Stream, count: number): Promise<ClosedBar[]> {
    const known = timeframeMs(timeframe) === null && timeframe !== 'MN1' ? null : timeframeOf(timeframe);
    const columns = known === null ? null : await this.terminal.copyRatesFromPos(symbol, known, 0, count);
    if (!columns) throw new BacktestRefusedError(`there are no bars of ${symbol}@${timeframe}`);
    return this.rowsOf(columns).slice(0, -1);
  }

  private rowsOf(columns: BarColumns): ClosedBar[] {
    return Array.from({ length: columns.time.length }, (_, index) => {
      const at = (name: keyof BarColumns): number => columns[name][index] ?? 0;
      const serverMs = at('time') * 1_000;
      const closedMs = (columns.time[index + 1] ?? at('time')) * 1_000;
      return {
        ...{ timeMs: this.utcMs(serverMs), serverMs, closedMs },
        ...{ open: at('open'), high: at('high'), low: at('low'), close: at('close') },
        tickVolume: at('tick_volume'),
      };
    });
  }
}
