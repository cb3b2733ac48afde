/** Where a page of history ends: the time and the ticket of its last row, and where the window begins. */
export interface HistoryPosition {
  /** Server milliseconds. */
  readonly msc: number;
  readonly ticket: number;
  /** Start of the first page's window, in UTC milliseconds: a default start does not move from page to page. */
  readonly windowFromMs: number;
}

const layout = /^h1\.(\d{1,16})\.(\d{1,16})\.(-?\d{1,16})$/;

/** The position as clients keep it; only {@link parseCursor} reads it. */
export function cursorOf({ msc, ticket, windowFromMs }: HistoryPosition): string {
  return Buffer.from(`h1.${msc}.${ticket}.${windowFromMs}`, 'ascii').toString('base64url');
}

/** The position of a cursor; null for any other text. */
export function parseCursor(text: string): HistoryPosition | null {
  const parts = layout.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (!parts) return null;
  const [msc = NaN, ticket = NaN, windowFromMs = NaN] = parts.slice(1).map(Number);
  const position = { msc, ticket, windowFromMs };
  // The decoder ignores what is not its alphabet; the encoder gives one text for a position.
  return cursorOf(position) === text ? position : null;
}
