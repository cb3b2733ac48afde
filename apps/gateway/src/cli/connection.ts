import { UsageError } from '@libs/command-line';
import { GatewayClient } from '@libs/gateway-client';
import { fileText, SettingRefused } from '@libs/settings';
import { readCommandSettings, requireAddress, type CommandSettings } from './cli.config';
import type { CommandEdge, CommandFlags } from './command';

/**
 * The client of the gateway that the flags and the environment name.
 * @throws UsageError, SettingsError if address or key are unusable
 */
export function connect({ flags, env }: Pick<CommandEdge, 'env'> & { readonly flags: CommandFlags }): GatewayClient {
  const settings = readCommandSettings(env);
  return new GatewayClient({ baseUrl: addressOf(flags, settings), apiKey: keyOf(flags, settings) });
}

function addressOf({ url }: CommandFlags, { GATEWAY_URL, TERMINAL_API_PORT }: CommandSettings): string {
  if (url === undefined) return (GATEWAY_URL ?? `http://127.0.0.1:${TERMINAL_API_PORT}`).replace(/\/+$/, '');
  try {
    requireAddress(url);
  } catch (error) {
    if (error instanceof SettingRefused) throw new UsageError(`--url ${error.message}`);
    throw error;
  }
  return url.replace(/\/+$/, '');
}

/** The key is never a flag: other users of the machine can read command lines. */
function keyOf({ 'key-file': file }: CommandFlags, { API_KEY }: CommandSettings): string {
  if (file === undefined) {
    if (API_KEY === undefined) {
      throw new UsageError('there is no key: set API_KEY or API_KEY_FILE, or name its file with --key-file');
    }
    return API_KEY;
  }
  const key = contentOf(file).trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('--key-file must hold a key: printable ASCII without spaces');
  return key;
}

function contentOf(file: string): string {
  try {
    return fileText(file);
  } catch (error) {
    const hasCode = typeof error === 'object' && error !== null && 'code' in error;
    const problem = hasCode ? String(error.code) : error instanceof Error ? error.message : 'unknown error';
    throw new UsageError(`--key-file cannot be read: ${problem}: ${file}`);
  }
}
