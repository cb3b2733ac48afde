const quote = 0x22;
const comma = 0x2c;
const openArray = 0x5b;
const backslash = 0x5c;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** A place in the document: the object's keys so far and the present one, or the present index of an array. */
interface Level {
  readonly keys: Set<string> | null;
  step: string | number;
}

/**
 * Visits each key of a valid JSON text in turn, with its path, such as `symbols.0.name`, and whether its object has had it before:
 * `JSON.parse` would keep the last value and say nothing.
 */
export function visitKeys(text: string, visit: (path: string, key: string, isDoubled: boolean) => void): void {
  const levels: Level[] = [];
  let expectsKey = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const level = levels.at(-1);
    if (code === quote) {
      const end = endOfString(text, at);
      if (expectsKey && level?.keys) {
        const key = JSON.parse(text.slice(at, end + 1)) as string;
        level.step = key;
        visit(levels.map(({ step }) => step).join('.'), key, level.keys.has(key));
        level.keys.add(key);
        expectsKey = false;
      }
      at = end;
    } else if (code === openObject || code === openArray) {
      levels.push({ keys: code === openObject ? new Set() : null, step: 0 });
      expectsKey = code === openObject;
    } else if (code === closeObject || code === closeArray) {
      levels.pop();
      expectsKey = false;
    } else if (code === comma && level) {
      if (level.keys) expectsKey = true;
      else if (typeof level.step === 'number') level.step++;
    }
  }
}

/** The keys that an object of a valid JSON text has more than once, by their paths. */
export function doubledKeys(text: string): string[] {
  const paths: string[] = [];
  visitKeys(text, (path, _key, isDoubled) => isDoubled && paths.push(path));
  return paths;
}

/** The index of the closing quote of a JSON string, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quote) return at;
  }
  return text.length;
}
