import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** The lines of a file, without one that is still being written. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const input = createReadStream(path);
  let last = '\n';
  input.on('data', (chunk) => (last = String(chunk.slice(-1))));
  let held: string | null = null;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (held !== null) yield held;
    held = line;
  }
  // A gateway that still writes its recording has perhaps not written the whole of the last line.
  if (held !== null && (last === '\n' || !held.startsWith('{') || isWhole(held))) yield held;
}

/** The last lines of a file or of a pipe. @throws Error of the system if it cannot be read */
export async function lastLines(path: string, count: number): Promise<string[]> {
  const kept: string[] = [];
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    kept.push(line);
    if (kept.length > 2 * count) kept.splice(0, kept.length - count);
  }
  return kept.slice(-count);
}

/** The recordings of the trade core that are there: of this start, and of the one before. */
export function recordingsIn(folder: string): { readonly name: string; readonly path: string }[] {
  return ['trade-recording.jsonl.1', 'trade-recording.jsonl']
    .map((name) => ({ name, path: `${folder}/${name}` }))
    .filter(({ path }) => existsSync(path));
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
