import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { advice, type Flags, UsageError } from '@libs/command-line';
import { doubledKeys } from '@libs/settings';
import type { Stream } from '@libs/strategy';
import type * as BrokerFlags from '../backtest/broker-flags';
import { brokerFlags, type BrokerFlag } from '../backtest/broker-terms';
import { statedTimeframe } from '../backtest/stated-timeframe';
import type { StrategySpec } from '../core/strategy-spec';
import type * as ReadDaemonFile from '../daemon-file/read-daemon-file';
import { timeframes } from '../daemon-file/timeframes';
import { inStreamOrder } from '../core/bar-sequence';
import type { backtestFlags, Kinds } from './commands';

/** What only some command lines need is loaded with them: the simulated broker, and the YAML of the configuration. */
const load = createRequire(__filename);

export type BacktestFlags = Flags<Kinds<typeof backtestFlags>>;

/** The strategy and the prices of a backtest. */
export interface BacktestArguments {
  readonly spec: StrategySpec;
  readonly files: readonly string[];
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Settings of the simulated broker that flags set. */
  readonly broker: Readonly<Record<string, string>>;
  /** Market time that a request takes to reach the broker, in milliseconds. */
  readonly latencyMs: number;
  /** Whether faulty prices are accepted. */
  readonly acceptFaulty: boolean;
}

const usualCapital = 10_000;

/** The command line of a backtest, checked. @throws UsageError, DaemonFileError */
export function backtestArguments(flags: BacktestFlags, words: readonly string[]): BacktestArguments {
  const files = dataFiles(flags);
  if (words.length > 1)
    throw new UsageError(`backtest runs one strategy file; unexpected argument ${words.slice(1).join(' ')}`);
  const [file] = words;
  if (file === undefined && flags.config === undefined) {
    throw new UsageError('backtest needs a strategy file, or --config FILE with --strategy NAME or --portfolio NAME');
  }
  if (file !== undefined && flags.config !== undefined) {
    throw new UsageError('backtest takes a strategy file or --config, not both');
  }
  if (flags.config === undefined && flags.strategy !== undefined) throw new UsageError('--strategy needs --config');
  const spec = file === undefined ? configured(flags) : spelledOut(file, flags, files[0] ?? '');
  return { spec, files, ...marketTerms(flags) };
}

/** The price files of `--data`. @throws UsageError without one */
export function dataFiles({ data = '' }: Pick<BacktestFlags, 'data'>): readonly string[] {
  const files = data
    .split(',')
    .map((path) => path.trim())
    .filter(Boolean);
  if (files.length === 0) throw new UsageError('backtest needs --data FILE[,FILE], with recorded prices');
  return files;
}

/** What flags say about the period, the broker and the prices. @throws UsageError */
export function marketTerms(flags: BacktestFlags): Omit<BacktestArguments, 'spec' | 'files'> {
  const period = { fromMs: instant('from', flags.from), toMs: instant('to', flags.to) };
  return { ...period, ...terms(flags), acceptFaulty: flags['accept-faulty'] === true };
}

/** The strategy as the daemon would run it, with its streams, capital, parameters and limits. */
function configured(flags: BacktestFlags): StrategySpec {
  const path = flags.config ?? '';
  const { readDaemonFile } = load('../daemon-file/read-daemon-file') as typeof ReadDaemonFile;
  const { strategies } = readDaemonFile(path, withoutKeys(path));
  const names = strategies.map(({ name }) => name);
  const wanted = flags.strategy ?? (names.length === 1 ? names[0] : undefined);
  if (wanted === undefined) throw new UsageError(`--strategy NAME must be one of ${names.join(', ')}`);
  const spec = strategies.find(({ name }) => name === wanted);
  if (!spec) throw new UsageError(`${path} has no strategy ${wanted}${advice(wanted, names)}`);
  const params = { ...spec.params, ...paramsOf(flags.params) };
  return { ...spec, capital: flags.capital ?? spec.capital, params, streams: spec.streams.map(here) };
}

/** A backtest does not use gateways, so their API key variables may be unset. */
export function withoutKeys(path: string): Readonly<Record<string, string | undefined>> {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // readDaemonFile reports the problem.
  }
  const names = [...text.matchAll(/apiKeyEnv['"]?\s*:\s*['"]?(\w+)/g)].map(([, name = '']) => [name, 'unused']);
  return { ...(Object.fromEntries(names) as Record<string, string>), ...process.env };
}

function spelledOut(file: string, flags: BacktestFlags, firstData: string): StrategySpec {
  const { symbol = symbolOf(firstData), timeframe = statedTimeframe(firstData) ?? 'M1' } = flags;
  if (flags.streams !== undefined && (flags.symbol !== undefined || flags.timeframe !== undefined)) {
    throw new UsageError('--streams replaces --symbol and --timeframe; omit them');
  }
  const streams = inStreamOrder((flags.streams ?? `main=${symbol}@${timeframe}`).split(',').map(streamOf));
  return {
    name: 'backtest',
    module: resolve(file),
    magic: 1,
    streams,
    portfolio: null,
    workerGroup: null,
    onMismatch: 'halt',
    capital: flags.capital ?? usualCapital,
    params: paramsOf(flags.params),
    risk: { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null },
  };
}

function streamOf(text: string): Stream {
  const [, alias = '', symbol = '', timeframe = ''] = /^([^=]+)=([^@]+)@([A-Za-z0-9]+)$/.exec(text.trim()) ?? [];
  if (alias === '') throw new UsageError(`--streams must have the form main=EURUSD@M1,slow=EURUSD@H1, not ${text}`);
  if (!timeframes.includes(timeframe.toUpperCase())) {
    throw new UsageError(`the timeframe of ${alias} must be one of ${timeframes.join(', ')}, not ${timeframe}`);
  }
  return here({ alias, symbol, timeframe: timeframe.toUpperCase(), broker: '' });
}

/** A stream on the broker of a backtest. */
export function here(stream: Stream): Stream {
  return { ...stream, broker: 'backtest' };
}

const mostLatencyMs = 600_000;

/** Terms of the broker that flags set. @throws UsageError with a line for each that cannot be used */
function terms(flags: BacktestFlags): Pick<BacktestArguments, 'broker' | 'latencyMs'> {
  const given = (Object.keys(brokerFlags) as BrokerFlag[]).flatMap((flag) => {
    const value = flags[flag];
    return value === undefined ? [] : [{ flag, value }];
  });
  const problems = given.flatMap(({ flag, value }) => problemOf(flag, value) ?? []);
  const { latency = '0' } = flags;
  if (!/^\d+$/.test(latency) || Number(latency) > mostLatencyMs) {
    problems.push(`--latency must be an integer, 0 to ${mostLatencyMs}, not ${latency}`);
  }
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const settings = Object.fromEntries(given.map(({ flag, value }) => [brokerFlags[flag], value]));
  return { broker: { ...limitFill(flags['limit-fill']), ...settings }, latencyMs: Number(latency) };
}

function problemOf(flag: BrokerFlag, value: string): string | null {
  return (load('../backtest/broker-flags') as typeof BrokerFlags).brokerFlagProblem(flag, value);
}

function limitFill(text: string | undefined): BacktestArguments['broker'] {
  if (text === undefined) return {};
  if (text !== 'through' && text !== 'touch') {
    throw new UsageError(`--limit-fill must be through or touch, not ${text}`);
  }
  return { SIM_LIMIT_FILL: text };
}

/** `GBPUSD=file`, or a file whose name starts with the symbol, as in SIM_FEED. */
export function symbolOf(file: string): string {
  const named = /^([A-Za-z0-9._#]+)=/.exec(file)?.[1];
  return named ?? /^[A-Za-z0-9]+/.exec(basename(file))?.[0].toUpperCase() ?? '';
}

/** UTC if no offset is given: a run must not depend on the machine's time zone. */
export function instant(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const [, date, time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  const ms = date === undefined ? Number.NaN : Date.parse(`${date}T${time}${zone}`);
  // `Date` accepts 31 February as a day in March.
  if (Number.isNaN(ms) || !new Date(`${date}T00:00Z`).toISOString().startsWith(date ?? '')) {
    throw new UsageError(`--${name} must be a date or time such as 2012-02-06 or 2012-02-06T13:30Z, not ${text}`);
  }
  return ms;
}

function paramsOf(text = '{}'): Record<string, unknown> {
  const value = jsonOrNull(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const doubled = doubledKeys(text);
    if (doubled.length > 0) throw new UsageError(`--params has ${doubled.join(', ')} more than once`);
    return value as Record<string, unknown>;
  }
  throw new UsageError(`--params must be a JSON object such as '{"fast": 12}', not ${text}`);
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
