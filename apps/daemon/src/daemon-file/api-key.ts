import { SettingsError, readSettings, text } from '@libs/settings';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A gateway's key: the value of the variable that the configuration names, or what is in the file that the variable of
 * the same name with `_FILE` names, as container platforms hand out secrets.
 * @throws Error that names the variable, never the value
 */
export function readApiKey(variable: string, env: Environment): string {
  const problem = apiKeyProblem(variable, env);
  if (problem !== null) throw new Error(`apiKeyEnv ${problem}`);
  return keyIn(variable, env) ?? '';
}

/** Why the key cannot be read; null if it can. */
export function apiKeyProblem(variable: string, env: Environment): string | null {
  const file = `${variable}_FILE`;
  if (env[variable] && env[file]) return `names ${variable}, but both it and ${file} are set`;
  try {
    if (keyIn(variable, env) !== undefined) return null;
    return env[file] ? `names ${variable}, but the file of ${file} is empty` : `names ${variable}, which is not set`;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems.map(({ name, problem }) => `names ${name}, which ${problem}`).join('; ');
  }
}

function keyIn(variable: string, env: Environment): string | undefined {
  const setting = text({
    meaning: 'Key of a gateway.',
    secret: true,
    pattern: /^\S+$/,
    shape: 'a value without spaces',
  });
  return readSettings({ [variable]: setting }, env)[variable];
}
