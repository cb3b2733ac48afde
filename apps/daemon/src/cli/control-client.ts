import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readDaemonSettings } from '../daemon.config';

/** No daemon answers; exit code 1. */
export class NoDaemonError extends Error {}

/** The flags of every command that asks a running daemon. */
export const askingFlags = { 'state-dir': 'text', 'control-host': 'text', json: 'switch' } as const;

export interface AskingFlags {
  readonly 'state-dir'?: string;
  readonly 'control-host'?: string;
}

/** Where the state is, by flag or environment. */
export function stateDirOf(flags: AskingFlags): string {
  return resolve(flags['state-dir'] ?? readDaemonSettings().DAEMON_STATE_DIR);
}

/** Asks the control port of the running daemon. @throws NoDaemonError, or Error with what the daemon refused */
export async function ask<Body>(path: string, flags: AskingFlags): Promise<Body> {
  const settings = readDaemonSettings();
  const stateDir = stateDirOf(flags);
  let port: string;
  try {
    port = readFileSync(join(stateDir, 'control.port'), 'utf8').trim();
  } catch {
    throw new NoDaemonError(`no daemon is running on ${stateDir}`);
  }
  const token = settings.DAEMON_CONTROL_TOKEN;
  const host = flags['control-host'] ?? settings.DAEMON_CONTROL_HOST;
  const url = `http://${addressOf(host)}:${port}${path}`;
  const response = await fetch(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(5_000),
  }).catch(() => {
    throw new NoDaemonError(`no daemon answers on ${url}`);
  });
  const body = (await response.json()) as Body & { readonly error?: string };
  if (response.status !== 200) throw new NoDaemonError(body.error ?? `status ${response.status}`);
  return body;
}

/** Where to ask a daemon that listens on this host: one that listens everywhere is asked by loopback. */
export function addressOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** A name in a path of the control port, its slash kept. */
export function pathOf(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}
