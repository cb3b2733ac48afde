const blank = /[ \t\n\r]*/y;
const scalar =
  /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const name = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

/**
 * The index of the first character that is not valid JSON; the length of a text that ends too early. V8 names no place in some of its
 * messages, and repeats parts of the text in others. The text must not be nested too deeply.
 */
export function jsonErrorAt(text: string): number {
  const end = valueEnd(text, skip(text, 0));
  if (!end.isValid) return end.at;
  return skip(text, end.at);
}

/** A place in a text, for people. */
export function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** Where a value ends, or where it stops being valid. */
interface End {
  readonly isValid: boolean;
  readonly at: number;
}

const valid = (at: number): End => ({ isValid: true, at });
const invalid = (at: number): End => ({ isValid: false, at });

function valueEnd(text: string, start: number): End {
  if (text[start] === '{') return listEnd(text, start, '}', memberEnd);
  if (text[start] === '[') return listEnd(text, start, ']', valueEnd);
  return matchEnd(scalar, text, start);
}

function listEnd(text: string, start: number, close: string, itemEnd: (text: string, start: number) => End): End {
  let at = skip(text, start + 1);
  if (text[at] === close) return valid(at + 1);
  for (;;) {
    const item = itemEnd(text, at);
    if (!item.isValid) return item;
    at = skip(text, item.at);
    if (text[at] === close) return valid(at + 1);
    if (text[at] !== ',') return invalid(at);
    at = skip(text, at + 1);
  }
}

function memberEnd(text: string, start: number): End {
  const key = matchEnd(name, text, start);
  if (!key.isValid) return key;
  const at = skip(text, key.at);
  return text[at] === ':' ? valueEnd(text, skip(text, at + 1)) : invalid(at);
}

function matchEnd(pattern: RegExp, text: string, start: number): End {
  pattern.lastIndex = start;
  return pattern.test(text) ? valid(pattern.lastIndex) : invalid(start);
}

function skip(text: string, start: number): number {
  blank.lastIndex = start;
  blank.test(text);
  return blank.lastIndex;
}
