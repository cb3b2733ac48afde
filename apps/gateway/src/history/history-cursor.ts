/** End of a page of history: time and ticket of its last row, and the start of the window. */
export interface HistoryPosition {
  /** Server milliseconds. */
  readonly msc: number;
  readonly ticket: number;
  /** Start of the first page's window, in UTC milliseconds: a default start stays the same on all pages. */
  readonly windowFromMs: number;
}

const layout = /^h1\.(\d{1,16})\.(\d{1,16})\.(-?\d{1,16})$/;

/** Encodes the position for clients; only {@link parseCursor} reads it. */
export function cursorOf({ msc, ticket, windowFromMs }: HistoryPosition): string {
  return Buffer.from(`h1.${msc}.${ticket}.${windowFromMs}`, 'ascii').toString('base64url');
}

/** Decodes the position of a cursor; null for any other text. */
export function parseCursor(text: string): HistoryPosition | null {
  const parts = layout.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (!parts) return null;
  const [msc = NaN, ticket = NaN, windowFromMs = NaN] = parts.slice(1).map(Number);
  const position = { msc, ticket, windowFromMs };
  // The decoder ignores characters outside its alphabet; the encoder gives exactly one text per position.
  return cursorOf(position) === text ? position : null;
}
