import { withheld } from './world';

/** An error for the author of the strategy: message and stack frames, without those of the daemon and of Node. */
export function ownStack(error: unknown): string {
  try {
    const stack = isError(error) ? stackOf(error) : thrownText(error);
    const isForeign = (line: string): boolean => /^\s+at .*(\[worker eval\]|\bnode:|\(<anonymous>\))/.test(line);
    const [message = '', ...frames] = stack.replace(/^Error: /, '').split('\n');
    return [`${message}${hint(error)}`, ...frames.filter((line) => !isForeign(line))].join('\n');
  } catch {
    return 'a thrown value that cannot be shown as text: throw an Error instead';
  }
}

/** A strategy may have changed both. */
function stackOf({ stack, message }: { readonly stack?: unknown; readonly message: unknown }): string {
  return typeof stack === 'string' ? stack : String(message);
}

function thrownText(value: unknown): string {
  const text = String(value);
  return `${text === '[object Object]' ? JSON.stringify(value) : text} (thrown without an Error)`;
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
