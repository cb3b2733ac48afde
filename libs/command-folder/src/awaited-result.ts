import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { CommandResult } from './command-result';

const lookEveryMs = 100;

/**
 * Waits for the result of a command and removes it.
 * @param path of the result, as {@link CommandFolder.leave} gives it
 * @param isPatient whether to wait on, asked with the milliseconds waited
 * @returns null when there was no result in that time
 */
export async function awaitedResult(
  path: string,
  isPatient: (waitedMs: number) => boolean,
): Promise<CommandResult | null> {
  for (let waitedMs = 0; isPatient(waitedMs); waitedMs += lookEveryMs) {
    if (existsSync(path)) {
      const result = JSON.parse(readFileSync(path, 'utf8')) as CommandResult;
      await rm(path);
      return result;
    }
    await pause(lookEveryMs);
  }
  return null;
}
