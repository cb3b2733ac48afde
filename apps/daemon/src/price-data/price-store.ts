import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFoldersSync } from '@libs/files';

/** A store that cannot be continued, in words for people. */
export class PriceStoreError extends Error {}

/** Origins of asks, as the description of a store states them. */
export const askOrigins = {
  spread: 'bid plus the spread of each bar: bars hold bids, and one spread',
  ticks: 'the ticks of each bar, or bid plus the spread of the bar where these do not make it',
  recorded: 'recorded',
} as const;

/** Where the asks of pulled bars come from. */
export type BarAsks = 'spread' | 'ticks';

const askFiles = { spread: 'm1-ask-from-spread', ticks: 'm1-ask-from-ticks' } as const;

/**
 * Where the asks of the bars in a folder come from: as their description states, or without one as their file is named. Null
 * where the folder has no bars of a pull.
 */
export function keptAsks(folder: string, symbol: string): BarAsks | null {
  const origins = ['ticks', 'spread'] as const;
  const path = descriptionOf(folder, symbol, 'bars');
  if (existsSync(path)) {
    const text = readFileSync(path, 'utf8');
    return origins.find((origin) => text.includes(JSON.stringify(askOrigins[origin]))) ?? null;
  }
  return origins.find((origin) => existsSync(join(folder, `${stemOf(symbol)}-${askFiles[origin]}.csv`))) ?? null;
}

/** Where the prices of a store come from. Two pulls into one store must have the same. */
export interface PriceOrigin {
  readonly server: string;
  readonly login: number;
  readonly symbol: string;
  readonly kind: 'bars' | 'ticks';
  readonly digits: number;
  /** Origin of the asks: one of {@link askOrigins}. */
  readonly asks: string;
}

/** A row of a file of the store. */
export interface PriceRow {
  /** UTC milliseconds. */
  readonly timeMs: number;
  /** What follows the time. */
  readonly cells: readonly string[];
}

/**
 * Price files that grow at their end: one of ticks, or one of bids and one of asks, with a description beside them. A pull
 * that is killed leaves at most rows that the next one cuts off.
 */
export class PriceStore {
  readonly files: readonly string[];
  private last: number | null = null;
  private first: number | null = null;

  private constructor(
    private readonly origin: PriceOrigin,
    folder: string,
  ) {
    const asks = askFiles[origin.asks === askOrigins.ticks ? 'ticks' : 'spread'];
    const names = origin.kind === 'ticks' ? ['ticks'] : ['m1-bid', asks];
    this.files = names.map((name) => join(folder, `${stemOf(origin.symbol)}-${name}.csv`));
  }

  /**
   * Opens or creates the store of a symbol in a folder.
   * @throws PriceStoreError when the folder holds prices of another origin
   */
  static open(folder: string, origin: PriceOrigin): PriceStore {
    const store = new PriceStore(origin, folder);
    makeFoldersSync(folder);
    store.describe(descriptionOf(folder, origin.symbol, origin.kind));
    store.cut();
    return store;
  }

  /** Time of the first and of the last row that every file has, in UTC milliseconds; null while there is none. */
  get firstMs(): number | null {
    return this.first;
  }

  get lastMs(): number | null {
    return this.last;
  }

  /** Adds rows, ascending, after those that are there. @param rows by file */
  append(rows: readonly (readonly PriceRow[])[]): void {
    for (const [index, file] of this.files.entries()) {
      const lines = (rows[index] ?? []).map(({ timeMs, cells }) => `${[timeText(timeMs), ...cells].join(',')}\n`);
      if (lines.length > 0) appendFileSync(file, lines.join(''));
    }
    const [own = []] = rows;
    this.first ??= own[0]?.timeMs ?? null;
    this.last = own.at(-1)?.timeMs ?? this.last;
  }

  private describe(path: string): void {
    const text = `${JSON.stringify(this.origin, null, 2)}\n`;
    if (!existsSync(path)) return writeWhole(path, text);
    if (readFileSync(path, 'utf8') === text) return;
    throw new PriceStoreError(`${path} describes prices of another origin: use another --store`);
  }

  /** Cuts off what a kill left: a half line, rows that one file alone has, and the ticks of the last instant. */
  private cut(): void {
    const header = this.origin.kind === 'ticks' ? 'timestamp,bid,ask' : 'timestamp,open,high,low,close';
    const contents = this.files.map((file) => (existsSync(file) ? rowsOf(readFileSync(file, 'utf8'), header) : []));
    const shortest = Math.min(...contents.map((rows) => rows.length));
    const [rows = []] = contents;
    let kept = shortest;
    if (this.origin.kind === 'ticks') while (kept > 0 && timeOf(rows[kept - 1]) === timeOf(rows[shortest - 1])) kept--;
    for (const [index, file] of this.files.entries()) {
      const own = contents[index] ?? [];
      if (timeOf(own[kept - 1]) !== timeOf(rows[kept - 1])) {
        throw new PriceStoreError(`${file} does not match the file beside it: use another --store`);
      }
      writeWhole(file, `${[header, ...own.slice(0, kept)].join('\n')}\n`);
    }
    this.first = kept === 0 ? null : msOf(rows[0]);
    this.last = kept === 0 ? null : msOf(rows[kept - 1]);
  }
}

function stemOf(symbol: string): string {
  return symbol.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}

function descriptionOf(folder: string, symbol: string, kind: PriceOrigin['kind']): string {
  return join(folder, `${stemOf(symbol)}-${kind}.json`);
}

/** Complete lines after the header. */
function rowsOf(text: string, header: string): readonly string[] {
  const [first, ...lines] = text.split('\n').slice(0, -1);
  return first === header ? lines : [];
}

function timeOf(row: string | undefined): string | undefined {
  return row?.split(',')[0];
}

function msOf(row: string | undefined): number {
  return Date.parse((timeOf(row) ?? '').replace(' ', 'T'));
}

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('T', ' ').replace('Z', '+00:00');
}

function writeWhole(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
