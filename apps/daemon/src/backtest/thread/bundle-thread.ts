import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { bundleEntry, entries } from '../../strategies/strategy-bundler';
import { compiledOf, type EntryCode } from './entry-code';

/** The entries of a backtest's thread and of its strategy's context. */
export interface ThreadBundle {
  readonly thread: EntryCode;
  readonly context: EntryCode;
}

let bundled: Promise<ThreadBundle> | null = null;

/** Bundles both once in the life of the process. */
export function bundleBacktestThread(): Promise<ThreadBundle> {
  return (bundled ??= bundle());
}

/** Where the build leaves the compiled functions of an entry. */
export function compiledPath({ path }: { readonly path: string }): string {
  return `${path}.compiled`;
}

async function bundle(): Promise<ThreadBundle> {
  const [thread, context] = await Promise.all([codeOf(entries.backtest), codeOf(entries.context)]);
  return { thread, context };
}

async function codeOf(entry: (typeof entries)['backtest' | 'context']): Promise<EntryCode> {
  const text = await bundleEntry(entry);
  const path = compiledPath(entry);
  return { text, compiled: existsSync(path) ? compiledOf(text, await readFile(path)) : null };
}
