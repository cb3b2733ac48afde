import { writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { roundTrips, summary } from '../backtest/report';
import { reportPage } from '../backtest/report-page';
import { runBacktest } from '../backtest/run-backtest';
import type { StrategySpec } from '../daemon-file/daemon-file';
import { UsageError, parseArguments } from './arguments';
import { table } from './table';

const backtestFlags = {
  data: 'text',
  symbol: 'text',
  timeframe: 'text',
  from: 'text',
  to: 'text',
  params: 'text',
  capital: 'count',
  html: 'text',
  out: 'text',
  json: 'switch',
} as const;

/** `daemon backtest FILE --data bid.csv,ask.csv`: runs a strategy over recorded prices and reports. */
export async function backtest(args: readonly string[]): Promise<void> {
  const { flags, words } = parseArguments(args, backtestFlags);
  const [file] = words;
  if (file === undefined || flags.data === undefined) {
    throw new UsageError('backtest needs a strategy file and --data FILE[,FILE]');
  }
  const files = flags.data.split(',').map((path) => path.trim());
  const spec = specOf(file, {
    symbol: flags.symbol ?? symbolOf(files[0] ?? ''),
    timeframe: flags.timeframe ?? 'M1',
    capital: flags.capital ?? 10_000,
    params: paramsOf(flags.params),
  });
  const [fromMs, toMs] = [instant('from', flags.from), instant('to', flags.to)];
  const result = await runBacktest({ spec, files, fromMs, toMs, onProgress: progressBar() });
  const figures = summary(result, spec.capital);
  const trips = roundTrips(result.fills);
  const report = { strategy: basename(file), ...spec.streams[0], params: spec.params, summary: figures, trades: trips };
  if (flags.out !== undefined) writeFileSync(flags.out, JSON.stringify({ ...report, equity: result.equity }));
  if (flags.html !== undefined) {
    const title = `${basename(file)} on ${spec.streams[0]?.symbol ?? ''}`;
    const { equity, prices } = result;
    writeFileSync(flags.html, reportPage({ title, summary: figures, trips, equity, prices }));
  }
  const rows = Object.entries(figures) as [string, number | null][];
  process.stdout.write(`${flags.json ? JSON.stringify(report, null, 2) : table(['FIGURE', 'VALUE'], rows)}\n`);
}

function specOf(
  file: string,
  {
    symbol,
    timeframe,
    capital,
    params,
  }: { symbol: string; timeframe: string; capital: number; params: Record<string, unknown> },
): StrategySpec {
  return {
    ...{ name: 'backtest', module: resolve(file), magic: 1, capital, params },
    streams: [{ alias: 'main', broker: 'backtest', symbol, timeframe: timeframe.toUpperCase() }],
    risk: { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null },
    ...{ onMismatch: 'halt', workerGroup: null, portfolio: null },
  };
}

/** `GBPUSD=file` or a file whose name starts with the symbol, as SIM_FEED has it. */
function symbolOf(file: string): string {
  const named = /^([A-Za-z0-9._#]+)=/.exec(file)?.[1];
  return named ?? /^[A-Za-z0-9]+/.exec(basename(file))?.[0].toUpperCase() ?? '';
}

function instant(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new UsageError(`--${name} must be an ISO-8601 time, not ${text}`);
  return ms;
}

function paramsOf(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below, as for anything else that is no object.
  }
  throw new UsageError('--params must be a JSON object, such as {"fast": 12}');
}

/** Draws on a terminal; keeps quiet where nobody watches. */
function progressBar(): (share: number) => void {
  const wide = 40;
  return (share) => {
    if (!process.stderr.isTTY) return;
    const filled = Math.round(share * wide);
    process.stderr.write(`\r[${'#'.repeat(filled)}${'.'.repeat(wide - filled)}] ${Math.round(share * 100)} %`);
    if (share === 1) process.stderr.write('\n');
  };
}
