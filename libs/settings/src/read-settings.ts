import { distance } from 'fastest-levenshtein';
import { fileText } from './file-text';
import { SettingRefused, type Setting, type SettingsOf, type SettingsTable } from './setting';

export interface SettingProblem {
  readonly name: string;
  readonly problem: string;
}

/** All problems of the environment together, by variable name, without values. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly SettingProblem[]) {
    super(`invalid settings:\n${problems.map(({ name, problem }) => `  ${name} ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/**
 * Reads every setting of a table from an environment. An empty variable counts as unset.
 * @param conflicts finds contradictory settings; a setting with a problem of its own is undefined there
 * @throws SettingsError listing all problems together
 */
export function readSettings<Table extends SettingsTable>(
  table: Table,
  env: Readonly<Record<string, string | undefined>>,
  conflicts: (settings: Partial<SettingsOf<Table>>) => readonly SettingProblem[] = () => [],
): SettingsOf<Table> {
  const problems: SettingProblem[] = [];
  const values = Object.entries(table).map(([name, setting]) => {
    try {
      return [name, valueOf(name, setting, env)] as const;
    } catch (error) {
      if (!(error instanceof SettingRefused)) throw error;
      problems.push({ name, problem: error.message });
      return [name, undefined] as const;
    }
  });
  const settings = Object.fromEntries(values) as SettingsOf<Table>;
  problems.push(...conflicts(settings));
  if (problems.length > 0) throw new SettingsError(problems);
  return settings;
}

/**
 * Variables that are almost the name of a setting, which is not set itself: a limit under such a name would be no limit. Names of
 * other programs are not so near.
 */
export function misspeltSettings(
  table: SettingsTable,
  env: Readonly<Record<string, string | undefined>>,
): readonly SettingProblem[] {
  const absent = Object.keys(table).filter((name) => !env[name] && !env[`${name}_FILE`]);
  const given = Object.keys(env).filter((name) => env[name] && !(name.replace(/_FILE$/, '') in table));
  return given.flatMap((name) => {
    const meant = absent.find((known) => isAlmost(name, known));
    return meant === undefined ? [] : [{ name, problem: `is not a setting: did you mean ${meant}?` }];
  });
}

/** Short names, such as LOG_LEVEL, are those of other programs as well. */
function isAlmost(name: string, known: string): boolean {
  if (known.length < 10) return false;
  const letters = (text: string): string => text.toUpperCase().replaceAll('_', '');
  return distance(letters(name), letters(known)) <= (known.length < 14 ? 1 : 2);
}

function valueOf(name: string, setting: Setting<unknown>, env: Readonly<Record<string, string | undefined>>): unknown {
  const text = env[name] || (setting.secret ? secretFromFile(name, env[`${name}_FILE`]) : undefined);
  return text === undefined || text === '' ? setting.fallback : setting.parse(text);
}

function secretFromFile(name: string, path: string | undefined): string | undefined {
  if (!path) return undefined;
  try {
    return fileText(path).replace(/\r?\n$/, '');
  } catch {
    throw new SettingRefused(`cannot be read from the file in ${name}_FILE`);
  }
}
