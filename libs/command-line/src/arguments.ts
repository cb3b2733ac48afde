import { parseArgs, type ParseArgsConfig } from 'node:util';
import { advice, suggestion } from './nearest';

/** Invalid command line; exit code 2. */
export class UsageError extends Error {}

/** Kind of value that a flag takes; an object is an integer with a maximum. */
export type FlagKind = 'text' | 'port' | 'switch' | 'ticket' | 'amount' | { readonly upTo: number };
type ValueOf<Kind extends FlagKind> = Kind extends 'switch' ? true : Kind extends 'text' ? string : number;
export type Flags<Table extends Readonly<Record<string, FlagKind>>> = {
  readonly [Name in keyof Table]?: ValueOf<Table[Name]>;
};

export interface ParsedArguments<Table extends Readonly<Record<string, FlagKind>>> {
  readonly flags: Flags<Table>;
  readonly words: readonly string[];
}

/**
 * Reads `--name value`, `--name=value`, `--switch` and `-s`.
 * @param wordNames positional arguments of the command, in order; null if the command checks them itself
 * @param shorts the long name of each one-letter switch
 * @throws UsageError for a flag that is unknown (naming the nearest), that has no value, an invalid one or two, and for an
 * argument that is unexpected or empty
 */
export function parseArguments<const Table extends Readonly<Record<string, FlagKind>>>(
  args: readonly string[],
  table: Table,
  wordNames: readonly string[] | null = [],
  shorts: Readonly<Record<string, string>> = {},
): ParsedArguments<Table> {
  const flags: Record<string, string | number | true> = {};
  const words: string[] = [];
  // The platform's own checks do not name the nearest flag.
  const { tokens } = parseArgs({ args, options: optionsOf(table, shorts), strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      if (wordNames !== null && words.length === wordNames.length) throw unexpected(token.value, wordNames, table);
      if (isEmpty(token.value)) throw emptyWord(words.length, wordNames);
      words.push(token.value);
      continue;
    }
    const { name, value, inlineValue } = token;
    const kind = Object.hasOwn(table, name) ? table[name] : undefined;
    if (kind === undefined) throw unknownFlag(args[token.index] ?? token.rawName, table);
    if (kind === 'switch') {
      if (value !== undefined) throw new UsageError(`--${name} takes no value`);
      flags[name] = true;
      continue;
    }
    if (value === undefined || (!inlineValue && value.startsWith('--')))
      throw new UsageError(`--${name} needs a value`);
    if (isEmpty(value)) throw new UsageError(`--${name} needs a value, and it is empty`);
    const given = valueOf(name, kind, value);
    const before = Object.hasOwn(flags, name) ? flags[name] : given;
    // Which one is meant, nobody can tell.
    if (before !== given) throw new UsageError(`--${name} is given twice, as ${String(before)} and ${String(given)}`);
    flags[name] = given;
  }
  return { flags: flags as Flags<Table>, words };
}

function optionsOf(
  table: Readonly<Record<string, FlagKind>>,
  shorts: Readonly<Record<string, string>>,
): NonNullable<ParseArgsConfig['options']> {
  const letters = new Map(Object.entries(shorts).map(([letter, name]) => [name, letter]));
  const options = Object.entries(table).map(([name, kind]) => {
    const short = letters.get(name);
    return [
      name,
      { type: kind === 'switch' ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) },
    ] as const;
  });
  return Object.fromEntries(options);
}

function unknownFlag(arg: string, table: Readonly<Record<string, FlagKind>>): UsageError {
  const [, dashes = '', name = ''] = /^(-+)([^=]*)/.exec(arg) ?? [];
  const known = Object.keys(table).map((flag) => `--${flag}`);
  const rest = known.length === 0 ? ': the command takes no flags' : advice(`--${name}`, known);
  return new UsageError(`unknown flag ${dashes}${name}${rest}`);
}

/** A shell gives it for a variable that is not set. It names nothing, and must not stand for all or for the default. */
function isEmpty(value: string): boolean {
  return value.trim() === '';
}

function emptyWord(index: number, wordNames: readonly string[] | null): UsageError {
  const name = wordNames?.[index]?.replace(/^\[(.*)\]$/, '$1') ?? `argument ${index + 1}`;
  return new UsageError(`${name} is empty`);
}

function unexpected(word: string, wordNames: readonly string[], table: Readonly<Record<string, FlagKind>>): UsageError {
  const taken = wordNames.length === 0 ? 'flags only' : wordNames.join(' ');
  // The word may be a flag without its dashes, or misspelled.
  const meant = suggestion(
    word,
    Object.keys(table).map((flag) => `--${flag}`),
  );
  return new UsageError(`unexpected argument ${word}: the command takes ${taken}${meant ?? ''}`);
}

function valueOf(name: string, kind: Exclude<FlagKind, 'switch'>, value: string): string | number {
  if (typeof kind === 'object') return wholeNumber(name, value, kind.upTo);
  switch (kind) {
    case 'text':
      return value;
    case 'port':
      return wholeNumber(name, value, 65_535);
    case 'ticket':
      return wholeNumber(name, value, Number.MAX_SAFE_INTEGER);
    case 'amount':
      if (/^\d+(\.\d+)?$/.test(value) && Number(value) > 0) return Number(value);
      throw new UsageError(`--${name} must be a number above 0, not ${value}`);
  }
}

function wholeNumber(name: string, value: string, max: number): number {
  if (!/^\d+$/.test(value) || Number(value) > max) {
    throw new UsageError(`--${name} must be an integer, 0 to ${max}, not ${value}`);
  }
  return Number(value);
}
