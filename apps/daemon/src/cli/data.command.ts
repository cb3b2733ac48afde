import { advice, table, UsageError } from '@libs/command-line';
import { checkPrices, type FileCheck } from '../price-data/check-prices';
import { exportPrices } from '../price-data/export-prices';
import { usualLevels } from '../price-data/price-doubts';
import { importFiles } from './data-import';
import { pull, spec } from './data-pull';
import { argumentsOf, commands } from './commands';

type Subcommand = (args: readonly string[]) => Promise<number>;

const subcommands: Readonly<Record<string, Subcommand>> = {
  check,
  export: exportFiles,
  import: importFiles,
  pull,
  spec,
};

/** `daemon data check …`: works on price files. */
export async function data([name = '', ...args]: readonly string[]): Promise<number> {
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand) return subcommand(args);
  const names = Object.keys(subcommands);
  const problem = name === '' ? `needs one of ${names.join(', ')}` : `has no ${name}${advice(name, names)}`;
  throw new UsageError(`daemon data ${problem}`);
}

/** Counts faulty and doubtful rows of price files. Exit code 1 when a backtest would refuse a file, or with --strict for a doubt. */
async function check(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf(commands.data.subcommands.check, args);
  const paths = words.flatMap((word) => word.split(',')).filter(Boolean);
  const levels = {
    spikePct: flags.spike === undefined ? usualLevels.spikePct : Number(flags.spike),
    flatMinutes: Number(flags.flat ?? usualLevels.flatMinutes),
    gapMinutes: Number(flags.gap ?? usualLevels.gapMinutes),
  };
  const problems = [
    ...(paths.length === 0 ? ['data check needs price files'] : []),
    ...(levels.spikePct === null || levels.spikePct > 0 ? [] : [`--spike must be percent above 0, not ${flags.spike}`]),
    ...(levels.flatMinutes >= 1 ? [] : [`--flat must be minutes, 1 or more, not ${flags.flat}`]),
    ...(levels.gapMinutes >= 1 ? [] : [`--gap must be minutes, 1 or more, not ${flags.gap}`]),
  ];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const checks = checkPrices(paths, { levels, isOpenOnWeekends: flags.weekends ?? false });
  process.stdout.write(`${flags.json ? JSON.stringify(checks, null, 2) : checkTable(checks)}\n`);
  const isSound = checks.every((file) => file.isSound && !(flags.strict && doubtLines(file).length > 0));
  return isSound ? 0 : 1;
}

function checkTable(checks: readonly FileCheck[]): string {
  const rows = checks.map(({ file, symbol, kind, timeframe, rows: count, from, to, faults }) => [
    ...[
      file,
      symbol,
      timeframe === null ? kind : `${timeframe} ${kind}`,
      count,
      from?.slice(0, 16),
      to?.slice(0, 16),
      faults.crossed,
      faults.inverted,
    ],
    ...[faults.duplicate, faults.missing, faults.mistimed, faults.malformed],
  ]);
  const faultNames = ['CROSSED', 'INVERTED', 'DUPLICATE', 'MISSING', 'MISTIMED', 'MALFORMED'];
  const doubts = checks.map(({ file, doubts: found }) => [
    file,
    ...doubtNames.map((name) => found?.[name]?.count ?? null),
  ]);
  const lines = checks.flatMap((file) =>
    [...file.examples, ...doubtLines(file)].map((line) => `${file.file}: ${line}`),
  );
  const shown = [
    table(['FILE', 'SYMBOL', 'KIND', 'ROWS', 'FROM', 'TO', ...faultNames], rows),
    table(['DOUBTFUL', 'SPIKES', 'FLAT', 'WEEKEND', 'NO SPREAD', 'GAPS'], doubts),
  ];
  return [...shown, ...(lines.length === 0 ? [] : [lines.join('\n')])].join('\n\n');
}

const doubtNames = ['spikes', 'flat', 'weekend', 'noSpread', 'gaps'] as const;
const doubtTexts = {
  spikes: 'the first price that leaves those before and after it',
  flat: 'the first bar of a run without any change',
  weekend: 'the first row on a weekend, when the market is closed',
  noSpread: 'the first ask that is the bid',
  gaps: 'the first gap begins after',
} as const;

function doubtLines({ doubts }: FileCheck): readonly string[] {
  return doubtNames.flatMap((name) => {
    const firstMs = doubts?.[name]?.firstMs ?? null;
    return firstMs === null ? [] : [`${doubtTexts[name]}: ${new Date(firstMs).toISOString()}`];
  });
}

/** `daemon data export FILES`: writes price files as Parquet files. */
async function exportFiles(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf(commands.data.subcommands.export, args);
  const paths = words.flatMap((word) => word.split(',')).filter(Boolean);
  if (paths.length === 0) throw new UsageError('data export needs price files');
  const exported = await exportPrices(paths, flags.store ?? 'prices');
  const lines = exported.map(({ file, kind, timeframe, rows, symbol }) => {
    return `exported ${rows} ${timeframe === null ? kind : `${timeframe} ${kind}`} of ${symbol} to ${file}`;
  });
  process.stdout.write(`${flags.json ? JSON.stringify(exported, null, 2) : lines.join('\n')}\n`);
  return 0;
}
