import { closeSync, openSync, statSync } from 'node:fs';
import { requireFreePort } from '@libs/http-surface';
import type { GatewaySettings } from './gateway.config';

type Checked = Pick<
  GatewaySettings,
  'ORDER_AUDIT_FILE' | 'TERMINAL_API_PORT' | 'TERMINAL_API_HOST' | 'TERMINAL_PROBE_PORT'
>;

/**
 * Checks what would end the start later, before a file is written or an account logged in.
 * @throws an error of the system with its path or port: EISDIR for a file that is a folder, EADDRINUSE for a port in use
 */
export async function checkStart(settings: Checked): Promise<void> {
  const { ORDER_AUDIT_FILE: path, TERMINAL_API_HOST: host } = settings;
  // A folder cannot be opened for writing.
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) closeSync(openSync(path, 'r+'));
  for (const port of [settings.TERMINAL_API_PORT, settings.TERMINAL_PROBE_PORT]) {
    if (port !== undefined) await requireFreePort(port, host);
  }
}
