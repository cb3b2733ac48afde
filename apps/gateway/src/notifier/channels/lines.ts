import { lineOf, type Notification } from '../notification';

/** How many messages fit into a text of this many characters, one on each line; at least 1. */
export function fittingLines(messages: readonly Notification[], longest: number): number {
  let length = 0;
  let count = 0;
  for (const message of messages) {
    length += lineOf(message).length + 1;
    if (length > longest) break;
    count += 1;
  }
  return Math.max(1, count);
}

/** The messages as text, one on each line, cut at a length. */
export function linesOf(messages: readonly Notification[], longest: number): string {
  const text = messages.map(lineOf).join('\n');
  return text.length <= longest ? text : `${text.slice(0, longest - 3)}...`;
}
