import { SettingRefused, type Setting } from './setting';

interface Common {
  readonly meaning: string;
  readonly secret?: boolean;
  /** Shown as the default in the documentation if the value itself is not informative. */
  readonly defaultText?: string;
}
type WithDefault<T> = Common & { readonly default: T };
type Optional = Common & { readonly default?: undefined };

function setting<T>(
  common: Common & { readonly default?: T | undefined },
  accepts: string,
  parse: (text: string) => T,
): Setting<T | undefined> {
  const fallbackText = common.defaultText ?? (common.default === undefined ? 'unset' : String(common.default));
  return {
    meaning: common.meaning,
    accepts,
    fallback: common.default,
    fallbackText,
    secret: common.secret ?? false,
    parse,
  };
}

interface Pattern {
  readonly pattern?: RegExp;
  /** Description of the pattern. */
  readonly shape?: string;
  /** Whether every text has a meaning, also one of blanks. */
  readonly isAnyText?: true;
  /** A further check, which throws {@link SettingRefused}. */
  readonly check?: (value: string) => void;
}

/** A text; any by default. */
export function text(options: WithDefault<string> & Pattern): Setting<string>;
export function text(options: Optional & Pattern): Setting<string | undefined>;
export function text(options: Common & { default?: string | undefined } & Pattern): Setting<string | undefined> {
  return setting(options, options.shape ?? 'text', (value) => {
    if (options.isAnyText !== true) refuseSlips(value, options.secret === true);
    if (options.pattern && !options.pattern.test(value)) {
      throw new SettingRefused(`must be ${options.shape ?? 'in a different format'}`);
    }
    options.check?.(value);
    return value;
  });
}

/**
 * Refuses what only a mistake in a file of settings leaves: the text would be another one, such as a kill-switch file that nobody touches.
 * A password may have such characters.
 */
function refuseSlips(value: string, isSecret: boolean): void {
  if (value.trim() === '') throw new SettingRefused('must not be blank: leave it empty or out');
  if (isSecret) return;
  if (value.trim() !== value) throw new SettingRefused('must not begin or end with a space');
  if (/^(["']).*\1$/s.test(value)) throw new SettingRefused('must not be in quotation marks');
}

interface Range {
  readonly min: number;
  readonly max?: number;
}

function inRange(value: number, { min, max = Number.MAX_SAFE_INTEGER }: Range, kind: string): number {
  if (value < min || value > max) throw new SettingRefused(`must be ${rangeText(kind, { min, max })}`);
  return value;
}

function rangeText(kind: string, { min, max }: Range): string {
  return max === undefined || max === Number.MAX_SAFE_INTEGER ? `${kind}, ${min} or more` : `${kind}, ${min} to ${max}`;
}

/** A whole number. */
export function integer(options: WithDefault<number> & Range): Setting<number>;
export function integer(options: Optional & Range): Setting<number | undefined>;
export function integer(options: Common & { default?: number | undefined } & Range): Setting<number | undefined> {
  const accepts = rangeText('integer', options);
  return setting(options, accepts, (value) => {
    if (!/^[+-]?\d+$/.test(value)) throw new SettingRefused(`must be an ${accepts}`);
    return inRange(Number(value), options, 'an integer');
  });
}

/** A number that may have decimals. */
export function decimal(options: WithDefault<number> & Range): Setting<number>;
export function decimal(options: Optional & Range): Setting<number | undefined>;
export function decimal(options: Common & { default?: number | undefined } & Range): Setting<number | undefined> {
  const accepts = rangeText('number', options);
  return setting(options, accepts, (value) => {
    if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(value)) throw new SettingRefused(`must be a ${accepts}`);
    return inRange(Number(value), options, 'a number');
  });
}

/** A number of seconds. The setting holds seconds: code that waits converts them where it reads the setting. */
export function seconds(options: WithDefault<number> & Range): Setting<number> {
  return { ...decimal(options), accepts: rangeText('seconds', options) };
}

const truths = new Map([
  ...['1', 'true', 'yes', 'on', 'enabled'].map((word) => [word, true] as const),
  ...['0', 'false', 'no', 'off', 'disabled'].map((word) => [word, false] as const),
]);

/** A switch: 1, true, yes, on, enabled or 0, false, no, off, disabled, in any letter case. */
export function flag(options: WithDefault<boolean>): Setting<boolean> {
  const inner = setting(options, '0 or 1', (value) => {
    const truth = truths.get(value.toLowerCase());
    if (truth === undefined) throw new SettingRefused('must be 1/true/yes/on/enabled or 0/false/no/off/disabled');
    return truth;
  });
  return {
    ...inner,
    fallback: options.default,
    fallbackText: options.defaultText ?? (options.default ? '1' : '0'),
  } as Setting<boolean>;
}

/** One of a closed list of words, in any letter case. */
export function choice<const Word extends string>(
  options: WithDefault<NoInfer<Word>> & { readonly of: readonly Word[] },
): Setting<Word> {
  const accepts = `one of ${options.of.join(', ')}`;
  return {
    ...setting(options, accepts, () => options.default),
    fallback: options.default,
    parse: (value) => {
      const word = options.of.find((candidate) => candidate.toLowerCase() === value.toLowerCase());
      if (word === undefined) throw new SettingRefused(`must be ${accepts}`);
      return word;
    },
  };
}

/** A comma-separated list; spaces around items and empty items are dropped. */
export function list(options: Common & { readonly check?: (item: string) => void }): Setting<readonly string[]> {
  return {
    meaning: options.meaning,
    accepts: 'comma-separated list',
    fallback: [],
    fallbackText: options.defaultText ?? 'unset',
    secret: options.secret ?? false,
    parse: (value) => {
      const items = value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
      // Not the same as an empty value: a list of commas alone must not permit everything.
      if (items.length === 0) throw new SettingRefused('must list something: leave it empty or out');
      for (const item of items) options.check?.(item);
      return items;
    },
  };
}
