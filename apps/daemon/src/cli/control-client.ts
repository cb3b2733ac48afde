import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { readDaemonSettings } from '../daemon.config';

/** No daemon answers; exit code 1. */
export class NoDaemonError extends Error {}

const answerWithinMs = 5_000;

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
  const response = await answerTo(path, flags, AbortSignal.timeout(answerWithinMs));
  return (await response.json()) as Body;
}

/**
 * Writes a text that goes on to a stream as it comes. Resolves when the daemon ends the text or the stream's reader has
 * left.
 * @throws NoDaemonError
 */
export async function followText(path: string, flags: AskingFlags, out: Writable): Promise<void> {
  // The text itself may have nothing to send for hours, not even the start of an answer.
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

/** Waits for a full stream to take more; not on once `signal` has aborted. */
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
    throw new NoDaemonError(`no daemon is running on ${stateDir}`);
  }
  const token = settings.DAEMON_CONTROL_TOKEN;
  const host = flags['control-host'] ?? settings.DAEMON_CONTROL_HOST;
  const url = `http://${addressOf(host)}:${port}${path}`;
  const response = await fetch(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal,
  }).catch(() => {
    throw new NoDaemonError(`no daemon answers on ${url}`);
  });
  if (response.status === 200) return response;
  const { error } = (await response.json()) as { readonly error?: string };
  throw new NoDaemonError(error ?? `status ${response.status}`);
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
