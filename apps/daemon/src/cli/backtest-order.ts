import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Stream } from '@libs/strategy';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { nearest } from '../daemon-file/nearest';
import { readDaemonFile } from '../daemon-file/read-daemon-file';
import { UsageError, type Flags } from './arguments';

export const backtestFlags = {
  data: 'text',
  symbol: 'text',
  timeframe: 'text',
  streams: 'text',
  from: 'text',
  to: 'text',
  params: 'text',
  capital: 'amount',
  config: 'text',
  strategy: 'text',
  html: 'text',
  out: 'text',
  logs: 'switch',
  json: 'switch',
} as const;

type BacktestFlags = Flags<typeof backtestFlags>;

/** What to run over which prices. */
export interface BacktestOrder {
  readonly spec: StrategySpec;
  readonly files: readonly string[];
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

const usualCapital = 10_000;

/** The command line of a backtest, checked. @throws UsageError, DaemonFileError */
export function backtestOrder(flags: BacktestFlags, words: readonly string[]): BacktestOrder {
  const files = (flags.data ?? '')
    .split(',')
    .map((path) => path.trim())
    .filter(Boolean);
  if (files.length === 0) throw new UsageError('backtest needs --data FILE[,FILE], the recorded prices');
  if (words.length > 1)
    throw new UsageError(`backtest runs one strategy file; ${words.slice(1).join(' ')} is too much`);
  const [file] = words;
  if (file === undefined && flags.config === undefined) {
    throw new UsageError('backtest needs a strategy file, or --config FILE --strategy NAME');
  }
  if (file !== undefined && flags.config !== undefined) {
    throw new UsageError('backtest takes a strategy file or --config, not both');
  }
  if (flags.config === undefined && flags.strategy !== undefined) throw new UsageError('--strategy needs --config');
  const spec = file === undefined ? configured(flags) : spelledOut(file, flags, files[0] ?? '');
  return { spec, files, fromMs: instant('from', flags.from), toMs: instant('to', flags.to) };
}

/** A strategy as the daemon would run it: its streams, capital, parameters and limits. */
function configured(flags: BacktestFlags): StrategySpec {
  const path = flags.config ?? '';
  const { strategies } = readDaemonFile(path, withoutKeys(path));
  const names = strategies.map(({ name }) => name);
  const wanted = flags.strategy ?? (names.length === 1 ? names[0] : undefined);
  if (wanted === undefined) throw new UsageError(`--strategy NAME has to be one of ${names.join(', ')}`);
  const spec = strategies.find(({ name }) => name === wanted);
  if (!spec) throw new UsageError(`${path} has no strategy ${wanted}; did you mean ${nearest(wanted, names)}?`);
  const params = { ...spec.params, ...paramsOf(flags.params) };
  return { ...spec, capital: flags.capital ?? spec.capital, params, streams: spec.streams.map(here) };
}

/** A backtest asks no gateway: the variables that hold their keys need not be set. */
function withoutKeys(path: string): Readonly<Record<string, string | undefined>> {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // Said by who reads the file next.
  }
  const names = [...text.matchAll(/apiKeyEnv['"]?\s*:\s*['"]?(\w+)/g)].map(([, name = '']) => [name, 'unused']);
  return { ...(Object.fromEntries(names) as Record<string, string>), ...process.env };
}

function spelledOut(file: string, flags: BacktestFlags, firstData: string): StrategySpec {
  const { symbol = symbolOf(firstData), timeframe = 'M1' } = flags;
  if (flags.streams !== undefined && (flags.symbol !== undefined || flags.timeframe !== undefined)) {
    throw new UsageError('--streams says it all: leave --symbol and --timeframe out');
  }
  const streams = (flags.streams ?? `main=${symbol}@${timeframe}`).split(',').map(streamOf);
  return {
    ...{
      name: 'backtest',
      module: resolve(file),
      magic: 1,
      streams,
      portfolio: null,
      workerGroup: null,
      onMismatch: 'halt',
    },
    ...{ capital: flags.capital ?? usualCapital, params: paramsOf(flags.params) },
    risk: { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null },
  };
}

function streamOf(text: string): Stream {
  const [, alias = '', symbol = '', timeframe = ''] = /^([^=]+)=([^@]+)@([A-Za-z0-9]+)$/.exec(text.trim()) ?? [];
  if (alias === '') throw new UsageError(`--streams must look like main=EURUSD@M1,slow=EURUSD@H1, not ${text}`);
  return here({ alias, symbol, timeframe: timeframe.toUpperCase(), broker: '' });
}

function here(stream: Stream): Stream {
  return { ...stream, broker: 'backtest' };
}

/** `GBPUSD=file` or a file whose name starts with the symbol, as SIM_FEED has it. */
function symbolOf(file: string): string {
  const named = /^([A-Za-z0-9._#]+)=/.exec(file)?.[1];
  return named ?? /^[A-Za-z0-9]+/.exec(basename(file))?.[0].toUpperCase() ?? '';
}

/** UTC where no offset is given: a run must not depend on the machine's own zone. */
function instant(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const [, date, time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  const ms = date === undefined ? Number.NaN : Date.parse(`${date}T${time}${zone}`);
  // 31 February would be read as a day in March.
  if (Number.isNaN(ms) || !new Date(`${date}T00:00Z`).toISOString().startsWith(date ?? '')) {
    throw new UsageError(`--${name} must be a date or time such as 2012-02-06 or 2012-02-06T13:30Z, not ${text}`);
  }
  return ms;
}

function paramsOf(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below, as for anything else that is no object.
  }
  throw new UsageError(`--params must be a JSON object such as '{"fast": 12}', not ${text}`);
}
