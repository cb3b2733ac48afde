import { nearest, parseArguments, table, UsageError } from '@libs/command-line';
import { checkPrices, type FileCheck } from '../price-data/check-prices';
import { importFiles } from './data-import';
import { pull, spec } from './data-pull';

type Subcommand = (args: readonly string[]) => Promise<number>;

const subcommands: Readonly<Record<string, Subcommand>> = { check, import: importFiles, pull, spec };

/** `daemon data check …`: works on price files. */
export async function data([name = '', ...args]: readonly string[]): Promise<number> {
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (subcommand) return subcommand(args);
  const names = Object.keys(subcommands);
  const advice =
    name === '' ? `needs one of ${names.join(', ')}` : `has no ${name}; did you mean ${nearest(name, names)}?`;
  throw new UsageError(`daemon data ${advice}`);
}

/** Counts faulty rows of price files. Exit code 1 when a backtest would refuse a file. */
async function check(args: readonly string[]): Promise<number> {
  const { flags, words } = parseArguments(args, { json: 'switch' }, null);
  const paths = words.flatMap((word) => word.split(',')).filter(Boolean);
  if (paths.length === 0) throw new UsageError('data check needs price files');
  const checks = checkPrices(paths);
  process.stdout.write(`${flags.json ? JSON.stringify(checks, null, 2) : checkTable(checks)}\n`);
  return checks.every(({ isSound }) => isSound) ? 0 : 1;
}

function checkTable(checks: readonly FileCheck[]): string {
  const rows = checks.map(({ file, symbol, kind, rows: count, from, to, faults }) => [
    ...[file, symbol, kind, count, from?.slice(0, 16), to?.slice(0, 16), faults.crossed, faults.inverted],
    ...[faults.duplicate, faults.missing, faults.mistimed, faults.malformed],
  ]);
  const faultNames = ['CROSSED', 'INVERTED', 'DUPLICATE', 'MISSING', 'MISTIMED', 'MALFORMED'];
  const lines = checks.flatMap(({ file, examples }) => examples.map((example) => `${file}: ${example}`));
  const shown = table(['FILE', 'SYMBOL', 'KIND', 'ROWS', 'FROM', 'TO', ...faultNames], rows);
  return [shown, ...(lines.length === 0 ? [] : [lines.join('\n')])].join('\n\n');
}
