import { nearest } from '../daemon-file/nearest';

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {}

/** What a flag takes. */
export type FlagKind = 'text' | 'port' | 'switch' | 'count' | 'ticket' | 'amount';
type ValueOf<Kind extends FlagKind> = Kind extends 'switch' ? true : Kind extends 'text' ? string : number;
export type Flags<Table extends Readonly<Record<string, FlagKind>>> = {
  readonly [Name in keyof Table]?: ValueOf<Table[Name]>;
};

export interface ParsedArguments<Table extends Readonly<Record<string, FlagKind>>> {
  readonly flags: Flags<Table>;
  readonly words: readonly string[];
}

/**
 * Reads `--name value`, `--name=value` and `--switch`.
 * @throws UsageError for a flag that is unknown, naming the nearest, lacks its value or has a wrong one
 */
export function parseArguments<const Table extends Readonly<Record<string, FlagKind>>>(
  args: readonly string[],
  table: Table,
): ParsedArguments<Table> {
  const flags: Record<string, string | number | true> = {};
  const words: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (!arg.startsWith('--')) {
      words.push(arg);
      continue;
    }
    const [, name = '', inline] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    const kind = Object.hasOwn(table, name) ? table[name] : undefined;
    if (kind === undefined) {
      throw new UsageError(`unknown flag --${name}; did you mean --${nearest(name, Object.keys(table))}?`);
    }
    if (kind === 'switch') {
      if (inline !== undefined) throw new UsageError(`--${name} takes no value`);
      flags[name] = true;
      continue;
    }
    const value = inline ?? args[++index];
    if (value === undefined) throw new UsageError(`--${name} needs a value`);
    flags[name] = valueOf(name, kind, value);
  }
  return { flags: flags as Flags<Table>, words };
}

function valueOf(name: string, kind: Exclude<FlagKind, 'switch'>, value: string): string | number {
  switch (kind) {
    case 'text':
      return value;
    case 'port':
      return wholeNumber(name, value, 65_535);
    case 'count':
      return wholeNumber(name, value, 1_000_000);
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
