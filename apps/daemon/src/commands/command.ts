/** What a person asks of a running daemon; the control port stays read-only. */
export type Command =
  /** Ends the halt of a strategy or portfolio. */
  | { readonly command: 'resume'; readonly name: string }
  /** Tells a strategy what became of a request that it cannot find out by itself. */
  | {
      readonly command: 'settle';
      readonly name: string;
      /** Idempotency key of the request. */
      readonly key: string;
      /** The order it became at the broker; null when it was never carried out. */
      readonly order: number | null;
    };

/** What a command came to. */
export interface CommandResult {
  readonly ok: boolean;
  readonly message: string;
}

/** A command out of its text; null when it is none. */
export function commandOf(text: string): Command | null {
  try {
    const { command, name, key, order } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string') return null;
    if (command === 'resume') return { command, name };
    const isOrder = order === null || (typeof order === 'number' && Number.isSafeInteger(order));
    return command === 'settle' && typeof key === 'string' && isOrder ? { command, name, key, order } : null;
  } catch {
    return null;
  }
}
