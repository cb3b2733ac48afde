import { readFileSync, statSync } from 'node:fs';
import type { Setting } from '@libs/settings';
import { gatewaySettingGroups } from '../gateway.config';
import { isSecretName } from './secret-shapes';

type Environment = Readonly<Record<string, string | undefined>>;

const settings = new Map(gatewaySettingGroups.flatMap(({ table }) => Object.entries<Setting<unknown>>(table)));
const mostBytes = 64 * 1024;

/**
 * Every credential that the environment, the files that it names and the configurations of alerts and signals give the gateway.
 */
export function secretsOf(env: Environment): string[] {
  const found = [...valuesOf(env), ...configuredIn(env)];
  return [...new Set(found.flatMap(forms))];
}

function* valuesOf(env: Environment): Generator<string> {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || value === '') continue;
    const base = name.replace(/_FILE$/, '');
    if (base !== name && isPrivate(base)) yield contentOf(value);
    else if (isPrivate(name) && value !== settings.get(name)?.fallback) yield value;
    yield* inAddresses(value);
  }
}

function isPrivate(name: string): boolean {
  const setting = settings.get(name);
  if (setting) return setting.secret;
  return isSecretName(name) || /KEY$|HEADERS$|_DSN$|DATABASE_URL$/.test(name);
}

/** What the files of alerts and signals name by `_env` and `_file`, or have in themselves by mistake. */
function* configuredIn(env: Environment): Generator<string> {
  for (const file of [env['NOTIFIER_FILE'], env['SIGNALS_FILE']]) {
    if (!file) continue;
    const text = contentOf(file);
    for (const [, name = '', ...given] of text.matchAll(/([\w-]+)\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s,}#]+))/g)) {
      const value = given.find((one) => one !== undefined) ?? '';
      if (name.endsWith('_env')) yield env[value] ?? '';
      else if (name.endsWith('_file')) yield contentOf(value);
      else if (isSecretName(name)) yield value;
    }
    yield* inAddresses(text);
  }
}

/** User, password, path and parameters of the addresses in a text. */
function* inAddresses(text: string): Generator<string> {
  for (const [address] of text.matchAll(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>,]+/gi)) {
    const url = URL.canParse(address) ? new URL(address) : null;
    if (url === null || url.protocol === 'file:') continue;
    yield url.password;
    if (url.password !== '') yield url.username;
    yield* url.pathname.split('/').filter((part) => part.length >= 8);
    yield* [...url.searchParams.values()].filter((part) => part.length >= 4);
  }
}

/** Of a secret: the whole, its lines, and the values of `name=value` pairs, plain and decoded. */
function forms(secret: string): string[] {
  const lines = secret.split(/\r?\n/);
  const pairs = lines.flatMap((line) => line.split(',').map((pair) => /^[\w-]+=(.+)$/.exec(pair.trim())?.[1] ?? ''));
  const plain = [secret, ...lines, ...pairs, ...pairs.map((pair) => pair.replace(/^\w+(?: |%20)/, ''))];
  return plain.flatMap((one) => [one, decoded(one)]).filter((one) => one.trim().length > 0);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Empty if the file cannot be read: then this command cannot pack what is in it either. */
function contentOf(path: string): string {
  try {
    return statSync(path).size > mostBytes ? '' : readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
