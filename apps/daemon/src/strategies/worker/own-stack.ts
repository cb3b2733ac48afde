import { withheld } from './world';

/** An error for the author of the strategy: message and stack frames, without those of the daemon and of Node. */
export function ownStack(error: unknown): string {
  const stack = isError(error) ? (error.stack ?? error.message) : String(error);
  const isForeign = (line: string): boolean => /^\s+at .*(\[worker eval\]|\bnode:|\(<anonymous>\))/.test(line);
  const [message = '', ...frames] = stack.replace(/^Error: /, '').split('\n');
  return [`${message}${hint(error)}`, ...frames.filter((line) => !isForeign(line))].join('\n');
}

function hint(error: unknown): string {
  const [, name = ''] = error instanceof ReferenceError ? (/^(\w+) is not defined/.exec(error.message) ?? []) : [];
  switch (name) {
    case 'performance':
      return ': a strategy has no clock: use trade.timeMs';
    case 'crypto':
      return ': a strategy has no source of randomness';
    default:
      return withheld.includes(name)
        ? ': a strategy has no timers and no network; use the event handlers, and onTimer for periodic work'
        : '';
  }
}

/** Also one of another context, which has an `Error` of its own. */
function isError(value: unknown): value is Error {
  return Object.prototype.toString.call(value) === '[object Error]';
}
