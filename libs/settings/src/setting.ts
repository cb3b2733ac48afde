/** One environment variable: everything anybody needs to know of it, in one place. */
export interface Setting<T> {
  /** What it does, in a sentence, with its unit; goes into the generated documentation. */
  readonly meaning: string;
  /** What kinds of value it takes, in words: `integer, 1 to 65535`. */
  readonly accepts: string;
  /** The value when the variable is unset or empty. */
  readonly fallback: T;
  /** The default as the documentation shows it. */
  readonly fallbackText: string;
  /** A secret is never printed, and may be given as a file by the variable's name with `_FILE` behind it. */
  readonly secret: boolean;
  /** Turns the text into the value; throws {@link SettingRefused} for one it cannot use. */
  readonly parse: (text: string) => T;
}

export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

/** The values of a table, by the names of its variables. */
export type SettingsOf<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

/** Why a text is no value of a setting. The message never holds the text itself. */
export class SettingRefused extends Error {}
