/** The message of an error, and its place in the strategy's own files, in one line. */
export function inOneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const [message = '', ...frames] = text.split(/\n\s+at /);
  const [, place] = /\(?([^\s()]+:\d+:\d+)\)?$/.exec(frames[0]?.trim() ?? '') ?? [];
  return `${message.replaceAll('\n', '; ')}${place === undefined ? '' : ` (${place})`}`;
}
