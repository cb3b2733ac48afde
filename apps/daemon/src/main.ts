#!/usr/bin/env node
import { createRequire } from 'node:module';
import { drained, tolerateClosedPipe } from '@libs/command-line';
import type * as Problem from './cli/problem';
import { run } from './cli/run';

for (const stream of [process.stdout, process.stderr]) tolerateClosedPipe(stream);

const args = process.argv.slice(2);

run(args).then(end, (error: unknown) => {
  // Loaded only now: the types of all expected errors are in every part of the program.
  const { exitCodeOf, problemOf } = createRequire(__filename)('./cli/problem') as typeof Problem;
  const message = problemOf(error);
  // As the results of commands that fail.
  const asked = args.includes('--json') ? JSON.stringify({ ok: false, message }, null, 2) : message;
  process.stderr.write(`${asked}\n`);
  return end(exitCodeOf(error));
});

/** Exits once all output is written: a pipe holds 64 KiB, and exiting discards the rest. */
async function end(code: number): Promise<void> {
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  process.exit(code);
}
