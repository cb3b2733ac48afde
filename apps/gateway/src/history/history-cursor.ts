/** End of a page of history: time and ticket of its last row, the start of the window, and the number of rows before the end. */
export interface HistoryPosition {
  /** Server milliseconds. */
  readonly msc: number;
  readonly ticket: number;
  /** Start of the first page's window, in UTC milliseconds: a default start stays the same on all pages. */
  readonly windowFromMs: number;
  /** How many rows there are up to this one, of the last {@link longestBehindMs}; null in a cursor of version 0.2.0 or before. */
  readonly before: number | null;
}

const layout = /^h[12]\.(\d{1,16})\.(\d{1,16})\.(-?\d{1,16})(?:\.(\d{1,16}))?$/;

/** Encodes the position for clients; only {@link parseCursor} reads it. */
export function cursorOf({ msc, ticket, windowFromMs, before }: HistoryPosition): string {
  const place = `${msc}.${ticket}.${windowFromMs}`;
  return Buffer.from(before === null ? `h1.${place}` : `h2.${place}.${before}`, 'ascii').toString('base64url');
}

/** Decodes the position of a cursor; null for any other text. */
export function parseCursor(text: string): HistoryPosition | null {
  const parts = layout.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (!parts) return null;
  const [msc = NaN, ticket = NaN, windowFromMs = NaN] = parts.slice(1, 4).map(Number);
  const position = { msc, ticket, windowFromMs, before: parts[4] === undefined ? null : Number(parts[4]) };
  // The decoder ignores characters outside its alphabet; the encoder gives exactly one text per position.
  return cursorOf(position) === text ? position : null;
}
