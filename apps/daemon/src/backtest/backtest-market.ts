import { VirtualClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { Simulator, simulatorOptions, simulatorSettings } from '@libs/simulator';
import { timeframeOf, type BarColumns, type TerminalClient } from '@libs/terminal-client';
import type { Quote, Stream } from '@libs/strategy';
import type { ClosedBar } from '../market-data/closed-bar';

export interface MarketOptions {
  /** Price files of one or more symbols, as SIM_FEED takes them. */
  readonly files: readonly string[];
  /** First instant to trade at, in UTC milliseconds; null is as soon as there is enough to warm up with. */
  readonly fromMs: number | null;
  /** Minutes of prices that are history at the start. */
  readonly warmupMinutes: number;
  /** Opening balance of the account, in its currency. */
  readonly balance: number;
}

/** The simulated broker in this process, on recorded prices, moved on by hand: no clock, no sockets, no chance. */
export class BacktestMarket {
  private readonly last = new Map<string, number>();

  private constructor(
    private readonly simulator: Simulator,
    readonly terminal: TerminalClient,
  ) {}

  /** @throws SettingsError or RecordingError naming the file that cannot be used */
  static async open({ files, fromMs, warmupMinutes, balance }: MarketOptions): Promise<BacktestMarket> {
    const settings = readSettings(simulatorSettings, {
      SIM_FEED: `replay:${files.join(',')}`,
      SIM_SPEED: '0',
      SIM_BALANCE: String(balance),
      SIM_REPLAY_WARMUP_BARS: String(warmupMinutes),
      ...(fromMs === null ? {} : { SIM_REPLAY_START: new Date(fromMs).toISOString() }),
    });
    // Without a pump the market stands until it is moved.
    const options = { ...simulatorOptions(settings), pumpMs: 0 };
    const simulator = new Simulator(options, new VirtualClock());
    await simulator.start();
    const terminal = simulator.connect();
    await terminal.connect();
    const { login, password, server } = options.account;
    const outcome = await terminal.login({ login, password, server });
    if (!outcome.ok) throw new Error(`the simulated broker refused the login: ${outcome.lastError.message}`);
    return new BacktestMarket(simulator, terminal);
  }

  /** Present instant of the market, in UTC milliseconds. */
  get nowMs(): number {
    return this.simulator.feedStatus().positionMs;
  }

  /** Instant of the last price, in UTC milliseconds. */
  get endMs(): number {
    return this.simulator.feedStatus().endMs ?? this.nowMs;
  }

  /** What the broker's clock is ahead of UTC, in milliseconds. */
  get offsetMs(): number {
    const { serverMs, positionMs } = this.simulator.feedStatus();
    return serverMs - positionMs;
  }

  advanceTo(utcMs: number): void {
    this.simulator.advanceTo(utcMs);
  }

  async quote(symbol: string): Promise<Quote | null> {
    const tick = await this.terminal.symbolInfoTick(symbol);
    return tick && { timeMs: tick.time_msc - this.offsetMs, bid: tick.bid, ask: tick.ask };
  }

  /** The last closed bars of a stream, ascending; those after them are new from now on. @throws Error for a wrong stream */
  async history(stream: Stream, count: number): Promise<readonly ClosedBar[]> {
    const bars = await this.closed(stream, count + 1);
    this.last.set(stream.alias, bars.at(-1)?.timeMs ?? 0);
    return bars;
  }

  /** Bars of a stream that closed since the last call. */
  async fresh(stream: Stream): Promise<readonly ClosedBar[]> {
    const lastMs = this.last.get(stream.alias) ?? 0;
    const bars = (await this.closed(stream, 4)).filter(({ timeMs }) => timeMs > lastMs);
    if (bars.length > 0) this.last.set(stream.alias, bars.at(-1)?.timeMs ?? lastMs);
    return bars;
  }

  async close(): Promise<void> {
    await this.simulator.stop();
  }

  private async closed({ symbol, timeframe }: Stream, count: number): Promise<ClosedBar[]> {
    const known = timeframeOf(timeframe);
    const columns = known === null ? null : await this.terminal.copyRatesFromPos(symbol, known, 0, count);
    if (!columns) throw new Error(`the price files have no ${symbol}@${timeframe}`);
    return rowsOf(columns, this.offsetMs).slice(0, -1);
  }
}

function rowsOf(columns: BarColumns, offsetMs: number): ClosedBar[] {
  return Array.from({ length: columns.time.length }, (_, index) => {
    const at = (name: keyof BarColumns): number => columns[name][index] ?? 0;
    return {
      timeMs: at('time') * 1_000 - offsetMs,
      ...{ open: at('open'), high: at('high'), low: at('low'), close: at('close') },
      tickVolume: at('tick_volume'),
    };
  });
}
