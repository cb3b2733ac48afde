import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { readDaemonSettings } from '../daemon.config';

/** The daemon is not reachable; exit code 1. */
export class NoDaemonError extends Error {}

const answerWithinMs = 5_000;

/** The flags of every command that talks to a running daemon. */
export interface AskingFlags {
  readonly 'state-dir'?: string;
  readonly 'control-host'?: string;
  readonly json?: boolean;
}

/** The state directory, from the flag or the environment. */
export function stateDirOf(flags: AskingFlags): string {
  return resolve(flags['state-dir'] ?? readDaemonSettings().DAEMON_STATE_DIR);
}

/**
 * Sends a request to the control port of the running daemon. @throws NoDaemonError, or Error with the daemon's refusal
 */
export async function ask<Body>(path: string, flags: AskingFlags): Promise<Body> {
  const response = await answerTo(path, flags, AbortSignal.timeout(answerWithinMs));
  return (await response.json()) as Body;
}

/**
 * Copies a continuous response to a stream. Resolves when the daemon ends the response or the stream's reader closes
 * it.
 * @throws NoDaemonError
 */
export async function followText(path: string, flags: AskingFlags, out: Writable): Promise<void> {
  // The response may not even begin for hours, so check first that the daemon is reachable.
  await ask('/health', flags);
  const abort = new AbortController();
  out.once('error', () => abort.abort());
  const { body } = await answerTo(path, flags, abort.signal);
  try {
    for await (const chunk of body ?? []) if (!out.write(chunk)) await taken(out, abort.signal);
  } catch (error) {
    if (!abort.signal.aborted) throw new NoDaemonError(`the daemon has ended: ${textOf(error)}`);
  }
}

/** Waits until a full stream accepts more data, or until `signal` aborts. */
async function taken(out: Writable, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(out, 'drain', { signal });
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function answerTo(path: string, flags: AskingFlags, signal: AbortSignal): Promise<Response> {
  const settings = readDaemonSettings();
  const stateDir = stateDirOf(flags);
  let port: string;
  try {
    port = readFileSync(join(stateDir, 'control.port'), 'utf8').trim();
  } catch {
    throw new NoDaemonError(`no daemon uses the state directory ${stateDir}`);
  }
  const token = settings.DAEMON_CONTROL_TOKEN;
  const host = flags['control-host'] ?? settings.DAEMON_CONTROL_HOST;
  const url = `http://${addressOf(host)}:${port}${path}`;
  const response = await fetch(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal,
  }).catch(() => {
    throw new NoDaemonError(`no daemon answers at ${url}`);
  });
  if (response.status === 200) return response;
  const { error } = (await response.json()) as { readonly error?: string };
  throw new NoDaemonError(error ?? `status ${response.status}`);
}

/** The host to connect to. A daemon that listens on all addresses is reached over loopback. */
export function addressOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** Encodes a name for a path of the control port; its slash is kept. */
export function pathOf(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}
