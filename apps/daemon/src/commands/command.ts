/** A command of the operator to a running daemon; the control port stays read-only. */
export type Command =
  /** Halts a strategy or portfolio until it is resumed. */
  | { readonly command: 'halt'; readonly name: string; readonly reason: string }
  /** Halts a strategy or portfolio until it is resumed, and closes its positions. */
  | { readonly command: 'flatten'; readonly name: string; readonly reason: string }
  /** Ends the halt of a strategy or portfolio. */
  | { readonly command: 'resume'; readonly name: string }
  /** Takes over the configuration file as it is now; the message of the result is the report, as JSON. */
  | { readonly command: 'reload' }
  /** Gives what is stored of strategies, as JSON in the message of the result. */
  | { readonly command: 'records'; readonly names: readonly string[] }
  /** Prints the stored state, as JSON in the message of the result. */
  | { readonly command: 'dump' }
  /** Settles an in-flight request whose outcome the daemon cannot resolve. */
  | {
      readonly command: 'settle';
      readonly name: string;
      /** Idempotency key of the request. */
      readonly key: string;
      /** The order that the request became at the broker; null if it was not executed. */
      readonly order: number | null;
    };

/** Parses a command; null if the text is not one. */
export function commandOf(text: string): Command | null {
  try {
    const { command, name, names, key, order, reason } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (command === 'dump' || command === 'reload') return { command };
    if (command === 'records') return isTexts(names) ? { command, names } : null;
    if (typeof name !== 'string') return null;
    if (command === 'resume') return { command, name };
    if (command === 'halt' || command === 'flatten')
      return typeof reason === 'string' ? { command, name, reason } : null;
    const isOrder = order === null || (typeof order === 'number' && Number.isSafeInteger(order));
    return command === 'settle' && typeof key === 'string' && isOrder ? { command, name, key, order } : null;
  } catch {
    return null;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((member) => typeof member === 'string');
}
