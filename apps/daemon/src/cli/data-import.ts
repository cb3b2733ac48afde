import { isZoneName } from '@libs/clock';
import { UsageError } from '@libs/command-line';
import { dateFormatProblem } from '../price-data/import/date-format';
import { repeatedHours } from '../price-data/import/import-clock';
import { parquetTables } from '../price-data/import/parquet-table';
import { importPrices } from '../price-data/import/import-prices';
import { argumentsOf, commands } from './commands';

const spreadUnits = ['points', 'price'] as const;

/** `daemon data import FILES --symbol EURUSD --digits 5 --zone Europe/Athens --spread 12`: makes price files of other CSV or Parquet files. */
export async function importFiles(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf(commands.data.subcommands.import, args);
  const files = words.flatMap((word) => word.split(',')).filter(Boolean);
  const { symbol = '', zone = null, digits = '', spread, asks = '', store = 'prices' } = flags;
  const repeatedHour = repeatedHours.find((hour) => hour === flags['repeated-hour']);
  const spreadUnit = spreadUnits.find((unit) => unit === flags['spread-in']);
  const dateFormat = flags['date-format'];
  const formatProblem = dateFormat === undefined ? null : dateFormatProblem(dateFormat);
  const problems = [
    ...(files.length === 0 ? ['data import needs files of bars or ticks'] : []),
    ...(/[A-Za-z0-9]/.test(symbol) ? [] : ['data import needs --symbol, such as --symbol EURUSD']),
    ...(/^\d$/.test(digits) ? [] : ["data import needs --digits, the decimal places of the symbol's prices, 0 to 9"]),
    ...(spread === undefined || /^\d+(\.\d+)?$/.test(spread) ? [] : [`--spread must be points, not ${spread}`]),
    ...(zone === null || isZoneName(zone)
      ? []
      : [`--zone must be a time zone such as UTC, Europe/Athens or America/New_York+7, not ${zone}`]),
    ...(formatProblem === null ? [] : [formatProblem]),
    ...notOneOf('repeated-hour', flags['repeated-hour'], repeatedHours),
    ...notOneOf('spread-in', flags['spread-in'], spreadUnits),
  ];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const spreadPoints = spread === undefined ? null : Number(spread);
  const askFiles = asks.split(',').filter(Boolean);
  const form = {
    ...(flags.columns === undefined ? {} : { columns: flags.columns.split(',') }),
    ...(flags.ignore === undefined ? {} : { ignore: flags.ignore.split(',').filter(Boolean) }),
    hasDecimalComma: flags['decimal-comma'] ?? false,
    isUnsorted: flags.sort ?? false,
    isRounding: flags.round ?? false,
    ...(dateFormat === undefined ? {} : { dateFormat }),
    ...(repeatedHour === undefined ? {} : { repeatedHour }),
    ...(spreadUnit === undefined ? {} : { spreadUnit }),
  };
  const terms = { symbol, zone, digits: Number(digits), spreadPoints };
  const tables = await parquetTables([...files, ...askFiles]);
  const result = importPrices({ files, askFiles, ...terms, ...form, tables, folder: store });
  const { kind, timeframe, rows, firstMs, lastMs } = result;
  const text = `imported ${rows} ${timeframe === null ? kind : `${timeframe} ${kind}`} of ${symbol}, from ${iso(firstMs)} to ${iso(lastMs)}\n--data ${result.files.join(',')}`;
  for (const note of result.notes) process.stderr.write(`note: ${note}\n`);
  for (const warning of result.warnings) process.stderr.write(`warning: ${warning}\n`);
  const report = { ...result, ...(kind === 'bars' && { bars: rows }) };
  process.stdout.write(`${flags.json ? JSON.stringify(report, null, 2) : text}\n`);
  return 0;
}

function notOneOf(flag: string, value: string | undefined, values: readonly string[]): readonly string[] {
  return value === undefined || values.includes(value) ? [] : [`--${flag} must be ${values.join(', ')}, not ${value}`];
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
