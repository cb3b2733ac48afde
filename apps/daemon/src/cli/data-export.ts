import { parseArguments, UsageError } from '@libs/command-line';
import { exportPrices } from '../price-data/export-prices';

const exportFlags = { store: 'text', json: 'switch' } as const;

/** `daemon data export FILES`: writes price files as Parquet files. */
export async function exportFiles(args: readonly string[]): Promise<number> {
  const { flags, words } = parseArguments(args, exportFlags, null);
  const paths = words.flatMap((word) => word.split(',')).filter(Boolean);
  if (paths.length === 0) throw new UsageError('data export needs price files');
  const exported = await exportPrices(paths, flags.store ?? 'prices');
  const lines = exported.map(({ file, kind, timeframe, rows, symbol }) => {
    return `exported ${rows} ${timeframe === null ? kind : `${timeframe} ${kind}`} of ${symbol} to ${file}`;
  });
  process.stdout.write(`${flags.json ? JSON.stringify(exported, null, 2) : lines.join('\n')}\n`);
  return 0;
}
