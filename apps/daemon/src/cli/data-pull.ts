import { advice, UsageError } from '@libs/command-line';
import { GatewayClient, type SymbolRecord } from '@libs/gateway-client';
import { configPath, readDaemonSettings } from '../daemon.config';
import { readDaemonFile } from '../daemon-file/read-daemon-file';
import { readApiKey } from '../daemon-file/api-key';
import type { BarAsks } from '../price-data/price-store';
import { pullPrices } from '../price-data/pull-prices';
import { symbolFile } from '../price-data/symbol-specification';
import { instant } from './backtest-arguments';
import { checkReportFiles, writeReport } from './report-files';
import { progressBar } from './progress-bar';
import { argumentsOf, commands } from './commands';

/** `daemon data pull GATEWAY:SYMBOL@M1 --from TIME`: reads prices from a gateway into a local store. */
export async function pull(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf(commands.data.subcommands.pull, args);
  const fromMs = instant('from', flags.from);
  const toMs = instant('to', flags.to);
  const { gateway, symbol, timeframe } = marketOf(words[0], flags.ticks === true);
  if (fromMs === null) throw new UsageError('data pull needs --from, such as --from 2024-01-01');
  if (toMs !== null && toMs <= fromMs) throw new UsageError('--to must be after --from');
  if (!flags.ticks && timeframe !== 'M1') {
    throw new UsageError(`data pull reads one-minute bars, from which a backtest makes longer ones: use ${symbol}@M1`);
  }
  const asks = asksOf(flags.asks);
  if (asks !== undefined && flags.ticks) throw new UsageError('--asks is for bars: ticks have recorded asks');
  const { reads } = clientOf(gateway, flags.config);
  const order = {
    symbol,
    kind: flags.ticks ? 'ticks' : 'bars',
    ...(asks === undefined ? {} : { asks }),
    fromMs,
    toMs,
    folder: flags.store ?? 'prices',
  } as const;
  const result = await pullPrices(reads, order, { chose: sayChoice, reached: progressBar(process.stderr) });
  const { files, added, fromTicks, firstMs, lastMs } = result;
  const origin = fromTicks === null ? '' : `, ${fromTicks} of them with the asks of their ticks`;
  const text = `added ${added} ${order.kind} of ${symbol}${origin}; the store goes from ${shown(firstMs)} to ${shown(lastMs)}\n--data ${files.join(',')}`;
  process.stdout.write(`${flags.json ? JSON.stringify(result, null, 2) : text}\n`);
  return 0;
}

function asksOf(text: string | undefined): BarAsks | undefined {
  if (text === undefined || text === 'spread' || text === 'ticks') return text;
  throw new UsageError(`--asks must be spread or ticks, not ${text}`);
}

/** Before the reads: those of ticks may take long. */
function sayChoice(asks: BarAsks, because: 'new store' | 'kept'): void {
  if (because === 'new store') {
    process.stderr.write(
      'asks come from ticks where the broker has them, with a request for each hour; --asks spread reads bars alone\n',
    );
  } else if (asks === 'spread') {
    process.stderr.write(
      'the store has asks from the spread and is continued with them; to have asks from ticks, use another --store\n',
    );
  }
}

/** `daemon data spec GATEWAY:SYMBOL[,SYMBOL]`: writes a file of symbols, as a backtest takes it. */
export async function spec(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf(commands.data.subcommands.spec, args);
  checkReportFiles(flags);
  const [, gateway = '', list = ''] = /^([^:]+):(.+)$/.exec(words[0] ?? '') ?? [];
  if (gateway === '') throw new UsageError('data spec needs GATEWAY:SYMBOL[,SYMBOL], such as demo:EURUSD,GBPUSD');
  const { reads } = clientOf(gateway, flags.config);
  const records: SymbolRecord[] = [];
  for (const symbol of list.split(',').map((name) => name.trim())) records.push(await reads.symbolInfo(symbol));
  const text = symbolFile(records);
  if (flags.out === undefined) process.stdout.write(text);
  else writeReport('out', flags.out, text);
  return 0;
}

function marketOf(word: string | undefined, isTicks: boolean): { gateway: string; symbol: string; timeframe: string } {
  const [, gateway, symbol, timeframe = ''] = /^([^:@]+):([^@]+)(?:@(\w+))?$/.exec(word ?? '') ?? [];
  if (gateway !== undefined && symbol !== undefined && (isTicks || timeframe !== '')) {
    return { gateway, symbol, timeframe: timeframe.toUpperCase() };
  }
  throw new UsageError('data pull needs GATEWAY:SYMBOL@M1, such as demo:EURUSD@M1, or GATEWAY:SYMBOL with --ticks');
}

function clientOf(name: string, config: string | undefined): GatewayClient {
  const path = configPath(config, readDaemonSettings());
  const { gateways } = readDaemonFile(path, process.env);
  const gateway = gateways.find((candidate) => candidate.name === name);
  if (!gateway) {
    const names = gateways.map((candidate) => candidate.name);
    throw new UsageError(`${path} has no gateway ${name}${advice(name, names)}`);
  }
  return new GatewayClient({ baseUrl: gateway.url, apiKey: readApiKey(gateway.apiKeyEnv, process.env) });
}

function shown(timeMs: number | null): string {
  return timeMs === null ? 'nothing' : new Date(timeMs).toISOString();
}
