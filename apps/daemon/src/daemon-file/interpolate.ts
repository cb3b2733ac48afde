type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every text of a document from the environment, so that one file serves
 * several machines. Secrets do not belong here: the file names the variable that holds them instead.
 */
export function interpolated(value: unknown, env: Environment, path: string, problems: string[]): unknown {
  if (typeof value === 'string') return replaced(value, env, path, problems);
  if (Array.isArray(value)) return value.map((item, index) => interpolated(item, env, `${path}[${index}]`, problems));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      interpolated(item, env, path === '' ? name : `${path}.${name}`, problems),
    ]),
  );
}

function replaced(text: string, env: Environment, path: string, problems: string[]): string {
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_all, name: string, fallback?: string) => {
    const value = env[name] || fallback;
    if (value === undefined) problems.push(`${path} needs the environment variable ${name}, which is not set`);
    return value ?? '';
  });
}
