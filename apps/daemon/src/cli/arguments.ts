import { distance } from 'fastest-levenshtein';
import { nearest } from '../daemon-file/nearest';
import { mostLogLines } from '../logs/log-book';

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {}

/** What a flag takes. */
export type FlagKind = 'text' | 'port' | 'switch' | 'lines' | 'ticket' | 'amount';
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
 * @param wordNames what the command takes beside its flags, in order; null when the command checks that itself
 * @param shorts the long name of each one-letter switch
 * @throws UsageError for a flag that is unknown, naming the nearest, lacks its value or has a wrong one, and for a word
 * too many
 */
export function parseArguments<const Table extends Readonly<Record<string, FlagKind>>>(
  args: readonly string[],
  table: Table,
  wordNames: readonly string[] | null = [],
  shorts: Readonly<Record<string, string>> = {},
): ParsedArguments<Table> {
  const flags: Record<string, string | number | true> = {};
  const words: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (!arg.startsWith('-')) {
      if (wordNames !== null && words.length === wordNames.length) throw unexpected(arg, wordNames, table);
      words.push(arg);
      continue;
    }
    const [, name = '', inline] = /^--([^=]*)(?:=(.*))?$/s.exec(longForm(arg, shorts)) ?? [];
    const kind = Object.hasOwn(table, name) ? table[name] : undefined;
    if (kind === undefined) throw unknownFlag(arg, table);
    if (kind === 'switch') {
      if (inline !== undefined) throw new UsageError(`--${name} takes no value`);
      flags[name] = true;
      continue;
    }
    const value = inline ?? args[++index];
    if (value === undefined || (inline === undefined && value.startsWith('--')))
      throw new UsageError(`--${name} needs a value`);
    flags[name] = valueOf(name, kind, value);
  }
  return { flags: flags as Flags<Table>, words };
}

function longForm(arg: string, shorts: Readonly<Record<string, string>>): string {
  const short = /^-([^-])$/.exec(arg)?.[1];
  return short !== undefined && Object.hasOwn(shorts, short) ? `--${shorts[short]}` : arg;
}

function unknownFlag(arg: string, table: Readonly<Record<string, FlagKind>>): UsageError {
  const [, dashes = '', name = ''] = /^(-+)([^=]*)/.exec(arg) ?? [];
  return new UsageError(`unknown flag ${dashes}${name}; did you mean --${nearest(name, Object.keys(table))}?`);
}

function unexpected(word: string, wordNames: readonly string[], table: Readonly<Record<string, FlagKind>>): UsageError {
  const taken = wordNames.length === 0 ? 'flags alone' : wordNames.join(' ');
  const flag = nearest(word, Object.keys(table));
  // A flag without its dashes, spelled almost right.
  const advice = distance(word, flag) <= 2 ? `; did you mean --${flag}?` : '';
  return new UsageError(`unexpected argument ${word}: the command takes ${taken}${advice}`);
}

function valueOf(name: string, kind: Exclude<FlagKind, 'switch'>, value: string): string | number {
  switch (kind) {
    case 'text':
      return value;
    case 'port':
      return wholeNumber(name, value, 65_535);
    case 'lines':
      return wholeNumber(name, value, mostLogLines);
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
