import { relative } from 'node:path';
import { UsageError } from '@libs/command-line';
import { newStrategy } from '../scaffold/new-strategy';
import { argumentsOf, commands } from './commands';

/** `daemon new my-idea`: writes a folder to begin a strategy in. */
export async function create(args: readonly string[]): Promise<void> {
  const { words } = argumentsOf(commands.new, args);
  const [path] = words;
  if (path === undefined) throw new UsageError('new needs the name of a folder, such as my-idea');
  const folder = newStrategy(path);
  const shown = relative('', folder) || '.';
  process.stdout.write(
    `${shown} has a strategy, its test and a day of generated prices. Next:\n  cd ${shown}\n  npm install\n  npm test\n`,
  );
}
