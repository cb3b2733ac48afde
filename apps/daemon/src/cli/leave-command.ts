import { randomUUID } from 'node:crypto';
import { awaitedResult, CommandFolder, type CommandResult } from '@libs/command-folder';
import { machineFiles } from '@libs/files';
import { commandOf, type Command } from '../commands/command';
import { ask, stateDirOf, type AskingFlags } from './control-client';

/** Maximum wait for the result of a command. */
const longestWaitMs = 10_000;
/** How often a daemon that takes long is asked whether it is still there. */
const askAgainMs = 2_000;

/** Submits a command to the running daemon and prints its result. Resolves with the exit code. */
export async function leaveCommand(command: Command, flags: AskingFlags): Promise<number> {
  const result = await resultOf(command, flags);
  if (result !== null) {
    printResult(result, flags);
    return result.ok ? 0 : 1;
  }
  return notPickedUp(flags);
}

/** Prints the result of a command, with --json as JSON; one that is not ok to stderr. */
export function printResult({ ok, message }: CommandResult, { json = false }: AskingFlags): void {
  const out = ok ? process.stdout : process.stderr;
  out.write(`${json ? JSON.stringify({ ok, message }, null, 2) : message}\n`);
}

/** Says that there was no result in time. @returns the exit code */
export function notPickedUp(flags: AskingFlags): number {
  printResult({ ok: false, message: 'the daemon did not pick up the command' }, flags);
  return 1;
}

/** Submits a command to the running daemon; null if there is no result in time. @throws NoDaemonError */
export async function resultOf(command: Command, flags: AskingFlags): Promise<CommandResult | null> {
  return awaitedResult(await left(command, flags), (waitedMs) => waitedMs < longestWaitMs);
}

/** Submits a command that may take long, and waits until it ends. @throws NoDaemonError, also when the daemon ends */
export async function longResultOf(command: Command, flags: AskingFlags): Promise<CommandResult> {
  const path = await left(command, flags);
  for (;;) {
    const result = await awaitedResult(path, (waitedMs) => waitedMs < askAgainMs);
    if (result !== null) return result;
    await ask('/health', flags);
  }
}

/** @returns the path of its result */
async function left(command: Command, flags: AskingFlags): Promise<string> {
  await ask('/health', flags);
  const folder = new CommandFolder(stateDirOf(flags), machineFiles, commandOf);
  return folder.leave(`${Date.now()}-${randomUUID()}`, command);
}
