/** The complete declaration of one environment variable. */
export interface Setting<T> {
  /** Its effect in a sentence, with its unit, for the generated documentation. */
  readonly meaning: string;
  /** Description of its values: `integer, 1 to 65535`. */
  readonly accepts: string;
  /** The value if the variable is unset or empty. */
  readonly fallback: T;
  /** The default in the documentation. */
  readonly fallbackText: string;
  /** A secret is never printed, and may be given as a file by the variable with the suffix `_FILE`. */
  readonly secret: boolean;
  /** Parses the text; throws {@link SettingRefused} for an invalid one. */
  readonly parse: (text: string) => T;
}

export type SettingsTable = Readonly<Record<string, Setting<unknown>>>;

/** The values of a table, by the names of its variables. */
export type SettingsOf<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

/** Why a text is not a valid value. The message never contains the text itself. */
export class SettingRefused extends Error {}
