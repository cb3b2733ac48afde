import { drained, tolerateClosedPipe } from '@libs/command-line';
import { exitCodeOf, problemOf } from './exit-codes';
import type { CommandEdge } from './command';
import { run } from './run';

/** Runs a command of the gateway's program and exits with its code. `runs`: the one that `args` are for, if it is not of this folder. */
export async function runProgram(
  args: readonly string[],
  runs: (args: readonly string[], edge: CommandEdge) => Promise<number> = run,
): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) tolerateClosedPipe(stream);
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  // A reader that closed its end of the pipe, as `head` does, wants no more events.
  process.stdout.once('error', () => interrupt.abort());
  const out = (text: string): void => void process.stdout.write(`${text}\n`);
  const err = (text: string): void => void process.stderr.write(`${text}\n`);
  let code: number;
  try {
    code = await runs(args, { out, err, env: process.env, signal: interrupt.signal });
  } catch (error) {
    const problem = problemOf(error);
    err(args.includes('--json') ? JSON.stringify({ ok: false, error: problem }, null, 2) : problem);
    code = exitCodeOf(error);
  }
  // A pipe holds 64 KiB, and exiting discards the rest.
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  process.exit(code);
}
