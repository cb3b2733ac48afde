import { bundleEntry, entries } from '../../strategies/strategy-bundler';

/** The entries of a backtest's thread and of its strategy's context, each as one text. */
export interface ThreadBundle {
  readonly thread: string;
  readonly context: string;
}

let bundled: Promise<ThreadBundle> | null = null;

/** Bundles both once in the life of the process. */
export function bundleBacktestThread(): Promise<ThreadBundle> {
  return (bundled ??= bundle());
}

async function bundle(): Promise<ThreadBundle> {
  const [thread, context] = await Promise.all([bundleEntry(entries.backtest), bundleEntry(entries.context)]);
  return { thread, context };
}
