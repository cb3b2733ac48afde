import { UsageError } from '@libs/command-line';
import { GatewayReadError } from '@libs/gateway-client';
import { SettingsError } from '@libs/settings';

/** The exit codes of every command, as docs/operation.md lists them. */
export const exitCodes = {
  /** The gateway answered, and nothing is wrong. */
  fine: 0,
  /** The gateway answered, and the answer needs attention; or it could not do what was asked. */
  attention: 1,
  /** The command line, the address or the key is unusable; nothing was asked. */
  usage: 2,
  /** No usable answer: the gateway is not reachable, is silent, or is not a gateway. */
  noAnswer: 3,
  /** The gateway does not accept the key, or the key may only read. */
  keyRefused: 4,
} as const;

/** The exit code of an answer that is an error, by its HTTP status; null: there was none. */
export function codeOfStatus(status: number | null): number {
  if (status === null) return exitCodes.noAnswer;
  return status === 401 || status === 403 ? exitCodes.keyRefused : exitCodes.attention;
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof SettingsError) return exitCodes.usage;
  if (error instanceof GatewayReadError) {
    return error.failure === 'refused' ? codeOfStatus(error.status) : exitCodes.noAnswer;
  }
  return exitCodes.attention;
}

/** What could be read, or why not. A part that cannot be read must not hide the others. */
export type Part<T> = { readonly read: T } | { readonly problem: string };

/** Reads a part of an answer. */
export async function partOf<T>(reading: Promise<T>): Promise<Part<T>> {
  return reading.then(
    (read) => ({ read }),
    (error: unknown) => ({ problem: `could not be read: ${problemOf(error)}` }),
  );
}

/** The message of an expected problem, and the stack of a bug. */
export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected = [UsageError, SettingsError, GatewayReadError].some((type) => error instanceof type);
  return isExpected || 'code' in error ? error.message : (error.stack ?? error.message);
}
