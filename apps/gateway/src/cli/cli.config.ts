import { SettingRefused, integer, readSettings, text, type SettingsOf } from '@libs/settings';

/** What the commands of the gateway's program read from the environment. */
export const commandSettings = {
  GATEWAY_URL: text({
    meaning: 'URL of the gateway that the commands query; `--url` overrides it.',
    defaultText: 'http://127.0.0.1 with TERMINAL_API_PORT',
    check: requireAddress,
  }),
  TERMINAL_API_PORT: integer({ meaning: 'Port of the gateway on this machine.', default: 5001, min: 0, max: 65_535 }),
  API_KEY: text({
    meaning: 'Key that the commands send; `--key-file` overrides it.',
    secret: true,
    pattern: /^[\x21-\x7e]+$/,
    shape: 'printable ASCII without spaces',
  }),
  ORDER_AUDIT_FILE: text({ meaning: 'Audit log that `request` reads; `--audit-file` overrides it.' }),
};

export type CommandSettings = SettingsOf<typeof commandSettings>;

/** @throws SettingsError */
export function readCommandSettings(env: Readonly<Record<string, string | undefined>>): CommandSettings {
  return readSettings(commandSettings, env);
}

/** @throws SettingRefused for a text that is not an address, or that holds a password, which other users could see */
export function requireAddress(value: string): void {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new SettingRefused('must be an http or https URL');
  if (url.username !== '' || url.password !== '') {
    throw new SettingRefused('must not contain a user name or password: the key comes from API_KEY or --key-file');
  }
}
