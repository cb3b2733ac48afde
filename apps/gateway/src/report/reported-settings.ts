import { SettingRefused, type Setting } from '@libs/settings';
import { gatewaySettingGroups } from '../gateway.config';

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that are not secret but name a person or an account. */
const personal = new Set(['TERMINAL_LOGIN', 'SIM_LOGIN', 'CUSTOM_USER']);

/**
 * The settings by name, for a report: `default`, `set`, or the value where it can have nothing private in it.
 * @param shown takes out of a text what is private
 */
export function reportedSettings(env: Environment, shown: (text: string) => string): Readonly<Record<string, string>> {
  const declared = gatewaySettingGroups.flatMap(({ table }) => Object.entries<Setting<unknown>>(table));
  return Object.fromEntries(declared.map(([name, setting]) => [name, stateOf(name, setting, env, shown)]));
}

function stateOf(name: string, setting: Setting<unknown>, env: Environment, shown: (text: string) => string): string {
  const text = env[name];
  if (!text) return setting.secret && env[`${name}_FILE`] ? 'set, by a file' : 'default';
  if (setting.secret || personal.has(name)) return 'set';
  try {
    const value = setting.parse(text);
    // A number, a switch and a word of a list are what they are; anything else is a text of the operator.
    return typeof value === 'string' || Array.isArray(value) ? shownText(text, shown) : String(value);
  } catch (error) {
    if (error instanceof SettingRefused) return 'set, not valid';
    throw error;
  }
}

/** Of a path only its end: folders are often named after accounts and persons. */
function shownText(text: string, shown: (text: string) => string): string {
  if (text.includes('://')) return shown(text);
  return shown(text.replace(/^.*[/\\]/, '…/')).replace(/\d{5,}/g, '[digits]');
}
