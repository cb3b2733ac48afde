import { withheld } from './world';

/** An error as its author can use it: message and frames, without those of the daemon and of Node. */
export function ownStack(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const isForeign = (line: string): boolean => /^\s+at .*(\[worker eval\]|\bnode:|\(<anonymous>\))/.test(line);
  const [message = '', ...frames] = stack.replace(/^Error: /, '').split('\n');
  return [`${message}${hint(error)}`, ...frames.filter((line) => !isForeign(line))].join('\n');
}

function hint(error: unknown): string {
  const [, name = ''] = error instanceof ReferenceError ? (/^(\w+) is not defined/.exec(error.message) ?? []) : [];
  return withheld.includes(name)
    ? ': a strategy has no timers and no network; it acts on its events, and onTimer tells the time'
    : '';
}
