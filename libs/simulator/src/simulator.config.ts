import { isZoneName } from '@libs/clock';
import {
  choice,
  decimal,
  fileText,
  flag,
  integer,
  type Setting,
  SettingRefused,
  type SettingsOf,
  text,
} from '@libs/settings';
import { currencyDigits } from '@libs/records';
import { SymbolSwapMode } from '@libs/terminal-client';
import { Conversion } from './money/conversion';
import { historySettings, isKept } from './state/history-settings';
import { assets as shippedAssets } from './symbols/assets';
import { RecordingError } from './market/replay/recordings';
import { type ReplayFile, readSymbolRecordings, replayFile, type SymbolRecording } from './market/replay/replay-files';
import { readFault } from './cli/fault-command';
import type { WrittenHabits } from './session/drawn-habits';
import type { Fault } from './session/fault';
import { isHabit, namesOfHabits } from './session/shown-faults';
import type { FeedOptions, SimulatorOptions } from './simulator-options';
import { parseSymbolFile, type SymbolFile, SymbolFileError } from './symbols/symbol-file';
import { catalogue } from './symbols/catalogue';
import type { SymbolSpec } from './symbols/symbol-spec';
import { isoMs } from './market/replay/timestamps';

type FeedChoice =
  | { readonly kind: 'generated' }
  | {
      readonly kind: 'replay';
      readonly files: readonly ReplayFile[];
      readonly recordings: readonly SymbolRecording[];
    };

const feed: Setting<FeedChoice> = {
  meaning:
    'Prices: generated, or of files of ticks or of bid and ask bars. The name of a file starts with the symbol, or write SYMBOL=path.',
  accepts: 'generated or replay:<comma separated files>',
  fallback: { kind: 'generated' },
  fallbackText: 'generated',
  secret: false,
  parse: (value) => {
    if (value === 'generated') return { kind: 'generated' };
    const list = /^replay:(.+)$/.exec(value)?.[1];
    if (list === undefined) throw new SettingRefused('must be generated or replay:<comma separated files>');
    return refusing(RecordingError, () => {
      const files = list.split(',').map((item) => replayFile(item.trim()));
      return { kind: 'replay', files, recordings: readSymbolRecordings(files) };
    });
  },
};

/** A broker has thousands of symbols, of some hundred bytes each. */
const mostSymbolBytes = 16 * 1_048_576;

const symbols: Setting<SymbolFile> = {
  meaning: 'File of the symbols to trade.',
  accepts: 'path of a JSON file',
  fallback: { symbols: catalogue, assets: shippedAssets },
  fallbackText: 'unset (the shipped catalogue)',
  secret: false,
  parse: (path) => {
    let content: string;
    try {
      content = fileText(path, mostSymbolBytes);
    } catch {
      throw new SettingRefused('must name a file that can be read');
    }
    return refusing(SymbolFileError, () => parseSymbolFile(content));
  },
};

const replayStart: Setting<number | undefined> = {
  meaning: 'Start of a replay; the prices before it are history. By default SIM_REPLAY_WARMUP_BARS determines it.',
  accepts: 'ISO-8601 time, UTC without an offset',
  fallback: undefined,
  fallbackText: 'unset',
  secret: false,
  parse: (value) => {
    const ms = isoMs(value.length === 10 ? `${value} 00:00:00` : value);
    if (Number.isNaN(ms)) throw new SettingRefused('must be an ISO-8601 time such as 2012-02-06T00:00:00Z');
    return ms;
  },
};

/** Points of swap a night. */
interface SwapPoints {
  readonly long: number;
  readonly short: number;
}

const swap: Setting<SwapPoints | undefined> = {
  meaning: 'Swap of every symbol, in points per night of a long and of a short position; negative is paid.',
  accepts: 'points or long:short, such as -6.5:1.2',
  fallback: undefined,
  fallbackText: "unset (the symbols' own)",
  secret: false,
  parse: (value) => {
    const [, long = '', short = long] = /^([+-]?\d+(?:\.\d+)?)(?::([+-]?\d+(?:\.\d+)?))?$/.exec(value) ?? [];
    if (long === '') throw new SettingRefused('must be points, or points of long:short such as -6.5:1.2');
    return { long: Number(long), short: Number(short) };
  },
};

const habits: Setting<WrittenHabits | undefined> = {
  meaning:
    '[Habits of brokers](simulator.md#inject-faults) from the start, separated by semicolons; `random` draws others at the start of each session, from SIM_SEED. Only with TERMINAL_DRIVER=simulator.',
  accepts: 'random, or habits such as rows-twice; trade-clock -3',
  fallback: undefined,
  fallbackText: 'unset (none)',
  secret: false,
  parse: (value) => {
    if (value.trim() === 'random') return { kind: 'drawn' };
    return { kind: 'fixed', habits: value.split(';').map(habitIn) };
  },
};

function habitIn(written: string): Fault {
  try {
    const fault = readFault(written);
    if (isHabit(fault.kind)) return fault;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new SettingRefused(`must be random, or habits: ${written.trim()}: ${problem}`);
  }
  throw new SettingRefused(`must name habits, and ${written.trim()} is none: choose from ${namesOfHabits.join(', ')}`);
}

const zone = text({
  default: 'Europe/Athens',
  meaning: "Zone of the server's clock; may have an offset in hours, as in America/New_York+7.",
  shape: 'an IANA time zone name, or one with a shift',
  check: (name) => {
    if (!isZoneName(name)) {
      throw new SettingRefused(
        'must be an IANA time zone name such as Europe/Athens, or one with a shift such as America/New_York+7',
      );
    }
  },
});

/** Every setting of the simulated broker. */
export const simulatorSettings = {
  SIM_FEED: feed,
  SIM_SPEED: decimal({
    default: 1,
    min: 0,
    max: 1_000_000,
    meaning: 'Market seconds per second; 0 runs the feed as fast as it can be read.',
  }),
  SIM_SEED: integer({ default: 1, min: 0, max: 4_294_967_295, meaning: 'Seed of the generated prices.' }),
  SIM_HISTORY_DAYS: integer({
    default: 1_100,
    min: 1,
    max: 7_000,
    meaning: 'Days of generated history before the start.',
  }),
  SIM_REPLAY_START: replayStart,
  SIM_REPLAY_WARMUP_BARS: integer({
    default: 500,
    min: 0,
    meaning: 'Minutes with prices before the start of a replay.',
  }),
  SIM_LIMIT_FILL: choice({
    of: ['through', 'touch'],
    default: 'through',
    meaning:
      'Price at which a limit order or a take-profit fills inside a replayed bar: `through`, one point beyond its own; `touch`, its own.',
  }),
  SIM_SPREAD: decimal({
    min: 0,
    meaning: 'Points between bid and ask of a replay, in place of the recorded asks.',
    defaultText: 'unset (the recorded asks)',
  }),
  SIM_SLIPPAGE: integer({
    min: 0,
    max: 100_000,
    meaning: 'Points by which market orders, stops and stop-outs fill worse than the quote.',
    defaultText: 'unset (none)',
  }),
  SIM_COMMISSION: decimal({
    min: 0,
    meaning: 'Commission of every symbol, in money for each lot of each deal.',
    defaultText: "unset (the symbols' own)",
  }),
  SIM_SWAP: swap,
  SIM_HOURS: choice({
    of: ['always', 'market'],
    default: 'always',
    meaning: 'Trading hours: `market` keeps sessions, weekends and holidays.',
  }),
  SIM_LOGIN: integer({ default: 100_001, min: 1, meaning: 'Account number.' }),
  SIM_PASSWORD: text({ default: 'simulator', secret: true, meaning: 'Password of the account.' }),
  SIM_SERVER: text({ default: 'Simulator-Demo', meaning: 'Name of the server.' }),
  SIM_BALANCE: decimal({ default: 10_000, min: 0, meaning: 'Opening balance.' }),
  SIM_CURRENCY: text({
    default: 'USD',
    pattern: /^[A-Z]{3}$/,
    shape: 'a currency code of three capitals',
    meaning: 'Deposit currency. A pair of the traded symbols must convert to it.',
  }),
  SIM_LEVERAGE: integer({ default: 100, min: 1, max: 5_000, meaning: 'Leverage of the account.' }),
  SIM_MARGIN_MODE: choice({
    of: ['hedging', 'netting', 'exchange'],
    default: 'hedging',
    meaning: 'Whether a symbol can have several positions (`hedging`) or only one.',
  }),
  SIM_STOPOUT_MODE: choice({
    of: ['percent', 'money'],
    default: 'percent',
    meaning: 'Unit of SIM_MARGIN_CALL and SIM_STOP_OUT: margin level in percent, or equity in money.',
  }),
  SIM_MARGIN_CALL: decimal({ default: 50, min: 0, meaning: 'Level of the margin call.' }),
  SIM_STOP_OUT: decimal({ default: 30, min: 0, meaning: 'Level at which the broker closes positions.' }),
  SIM_LIMIT_ORDERS: integer({ default: 200, min: 0, meaning: 'Maximum number of pending orders; 0: no limit.' }),
  SIM_LIMIT_POSITIONS: integer({ default: 0, min: 0, meaning: 'Maximum number of open positions; 0: no limit.' }),
  SIM_FIFO_CLOSE: flag({ default: false, meaning: 'Only the oldest position of a symbol may be closed.' }),
  SIM_HEDGE_PROHIBITED: flag({ default: false, meaning: 'Opposite positions of a symbol are rejected.' }),
  SIM_SERVER_TIME_ZONE: zone,
  SIM_SYMBOLS: symbols,
  SIM_STATE_FILE: text({
    meaning: 'File that keeps account, orders, positions and history over restarts; `none`: nothing.',
    defaultText: 'unset (simulator-LOGIN in STATE_DIR; none of a replay and of `npm run simulator`)',
  }),
  ...historySettings,
  SIM_HABITS: habits,
  SIM_FAULTS: flag({
    default: false,
    meaning: 'Open a port on loopback for `npm run simulator:fault`. Only with TERMINAL_DRIVER=simulator.',
  }),
};

export type SimulatorSettings = SettingsOf<typeof simulatorSettings>;

/**
 * The settings as the simulator's options.
 * @throws SettingRefused where settings contradict each other, naming both
 */
export function simulatorOptions(settings: SimulatorSettings): SimulatorOptions {
  if (settings.SIM_STOP_OUT > settings.SIM_MARGIN_CALL) {
    throw new SettingRefused('SIM_STOP_OUT must not be above SIM_MARGIN_CALL');
  }
  if (settings.SIM_SPEED === 0 && settings.SIM_FEED.kind === 'generated') {
    throw new SettingRefused('SIM_SPEED 0 needs a feed that ends: SIM_FEED=replay:...');
  }
  const specs = settings.SIM_SYMBOLS.symbols.map((spec) => withTerms(spec, settings));
  const replayed = settings.SIM_FEED.kind === 'replay' ? settings.SIM_FEED.files.map(({ symbol }) => symbol) : null;
  const missing = replayed?.find((symbol) => !specs.some(({ name }) => name === symbol));
  if (missing !== undefined) {
    throw new SettingRefused(`SIM_FEED replays ${missing}, which is not a symbol of SIM_SYMBOLS`);
  }
  const traded = replayed ? specs.filter(({ name }) => replayed.includes(name)).map(shown) : specs;
  requireConvertible(traded, settings);
  return {
    feed: feedOptions(settings),
    speed: settings.SIM_SPEED,
    hours: settings.SIM_HOURS,
    account: {
      login: settings.SIM_LOGIN,
      password: settings.SIM_PASSWORD,
      server: settings.SIM_SERVER,
      name: 'Simulated account',
      company: 'Simulated broker',
      currency: settings.SIM_CURRENCY,
      currencyDigits: currencyDigits(settings.SIM_CURRENCY),
      balance: settings.SIM_BALANCE,
      leverage: settings.SIM_LEVERAGE,
      marginMode: settings.SIM_MARGIN_MODE,
      stopoutMode: settings.SIM_STOPOUT_MODE,
      marginCall: settings.SIM_MARGIN_CALL,
      stopOut: settings.SIM_STOP_OUT,
      limitOrders: settings.SIM_LIMIT_ORDERS,
      limitPositions: settings.SIM_LIMIT_POSITIONS,
      fifoClose: settings.SIM_FIFO_CLOSE,
      hedgeProhibited: settings.SIM_HEDGE_PROHIBITED,
      ...(settings.SIM_SLIPPAGE === undefined ? {} : { slippagePoints: settings.SIM_SLIPPAGE }),
    },
    serverTimeZone: settings.SIM_SERVER_TIME_ZONE,
    symbols: traded,
    ...(isKept(settings) ? { stateFile: settings.SIM_STATE_FILE } : {}),
    historyRows: settings.SIM_HISTORY_ROWS,
    pumpMs: 1_000,
    ...(settings.SIM_HABITS ? { habits: { ...settings.SIM_HABITS, seed: settings.SIM_SEED } } : {}),
  };
}

/** @throws SettingRefused for a deposit currency in which no symbol can be traded */
function requireConvertible(
  symbols: readonly SymbolSpec[],
  { SIM_CURRENCY: currency, SIM_FEED }: SimulatorSettings,
): void {
  const market = { symbols: new Map(symbols.map((spec) => [spec.name, { spec }])), quote: () => null };
  const conversion = new Conversion(market, currency);
  const isTradable = ({ currency_profit: profit, currency_margin: margin }: SymbolSpec): boolean =>
    conversion.converts(profit) && conversion.converts(margin);
  if (symbols.some(isTradable)) return;
  const add =
    SIM_FEED.kind === 'generated'
      ? `a pair such as USD${currency} to SIM_SYMBOLS`
      : `prices of a pair such as ${currency === 'EUR' ? 'EURUSD' : `USD${currency}`} to SIM_FEED`;
  throw new SettingRefused(
    `SIM_CURRENCY=${currency}: every order would be refused, because no pair converts to ${currency}. Use another currency, or add ${add}`,
  );
}

/** A symbol with the commission and the swap that settings give to all. */
function withTerms(spec: SymbolSpec, { SIM_COMMISSION: perLot, SIM_SWAP: points }: SimulatorSettings): SymbolSpec {
  return {
    ...spec,
    ...(points && { swap_mode: SymbolSwapMode.POINTS, swap_long: points.long, swap_short: points.short }),
    market: perLot === undefined ? spec.market : { ...spec.market, commission: { perLot, charged: 'both' } },
  };
}

/** In Market Watch from the start, regardless of the catalogue: a replay has few symbols, and all are used. */
function shown(spec: SymbolSpec): SymbolSpec {
  return { ...spec, market: { ...spec.market, visible: true } };
}

function feedOptions(settings: SimulatorSettings): FeedOptions {
  if (settings.SIM_FEED.kind === 'generated') {
    const { assets } = settings.SIM_SYMBOLS;
    return { kind: 'generated', seed: settings.SIM_SEED, assets, historyDays: settings.SIM_HISTORY_DAYS };
  }
  const startMs = settings.SIM_REPLAY_START;
  const { files, recordings } = settings.SIM_FEED;
  const warmupBars = settings.SIM_REPLAY_WARMUP_BARS;
  const limitFill = settings.SIM_LIMIT_FILL;
  const spreadPoints = settings.SIM_SPREAD;
  const optional = {
    ...(startMs === undefined ? {} : { startMs }),
    ...(spreadPoints === undefined ? {} : { spreadPoints }),
  };
  return { kind: 'replay', files, recordings, warmupBars, limitFill, ...optional };
}

/** Turns the errors of a reader into the refusal of the setting that named the file. */
function refusing<T>(kind: new (message: string) => Error, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof kind) throw new SettingRefused(`cannot be used: ${error.message}`);
    throw error;
  }
}
