#!/usr/bin/env node
import { createRequire } from 'node:module';
import type * as Backup from './backup/run-backup';
import type * as Cli from './cli/program';
import type * as Replay from './replay/run-replay';
import type * as Schema from './schemas/run-schema';
import type * as Report from './report/run-report';
import type * as Serve from './serve';
import type * as Trial from './trial/run-trial';

// Without a command the gateway serves. A command needs neither the HTTP framework nor the journal, so that it answers at once.
const load = createRequire(__filename);
const args = process.argv.slice(2);

if (args.length === 0 || (args.length === 1 && args[0] === 'serve')) {
  void (load('./serve') as typeof Serve).serve();
} else if (args[0] === 'try') {
  void (load('./trial/run-trial') as typeof Trial).runTrial(args.slice(1), process.env);
} else if (args[0] === 'backup') {
  void (load('./backup/run-backup') as typeof Backup)
    .runBackup(args.slice(1))
    .then((code) => (process.exitCode = code));
} else if (args[0] === 'replay') {
  void (load('./replay/run-replay') as typeof Replay)
    .runReplay(args.slice(1))
    .then((code) => (process.exitCode = code));
} else if (args[0] === 'schema') {
  process.exitCode = (load('./schemas/run-schema') as typeof Schema).runSchema(args.slice(1));
} else if (args[0] === 'report') {
  const { report } = load('./report/run-report') as typeof Report;
  void (load('./cli/program') as typeof Cli).runProgram(args.slice(1), report);
} else {
  void (load('./cli/program') as typeof Cli).runProgram(args);
}
