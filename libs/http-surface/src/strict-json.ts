import { isUtf8 } from 'node:buffer';
import { validationError, type ApiError } from '@libs/envelope';
import { jsonErrorAt, placeOf } from './json-error';

/** Maximum nesting of arrays and objects in a body. The API needs three; the limit protects recursive code. */
const mostLevels = 32;

const quote = 0x22;
const comma = 0x2c;
const openArray = 0x5b;
const backslash = 0x5c;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Parses a request body. Stricter than `JSON.parse` where leniency could trade something that the client did not mean:
 * rejects duplicate keys and names that every JavaScript object has. Checks the depth before anything recurses.
 * @throws ApiError validation_error that names the field, or `body`
 */
export function parseStrictJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw refused('body', 'is not valid UTF-8');
  const text = withoutByteOrderMark(bytes.toString('utf8'));
  if (isTooDeep(text)) throw refused('body', `is nested more than ${mostLevels} levels deep`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refused('body', `is not valid JSON at ${placeOf(text, jsonErrorAt(text))}`);
  }
  checkKeys(text);
  return value;
}

function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Works on any text: skips strings and counts brackets. */
function isTooDeep(text: string): boolean {
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openObject || code === openArray) {
      if (++level > mostLevels) return true;
    } else if (code === closeObject || code === closeArray) level--;
  }
  return false;
}

/** A place in the document: the object's keys so far and the present one, or the present index of an array. */
interface Level {
  readonly keys: Set<string> | null;
  step: string | number;
}

/** Expects valid JSON. @throws ApiError validation_error for the first duplicate or reserved key */
function checkKeys(text: string): void {
  const levels: Level[] = [];
  let expectsKey = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const level = levels.at(-1);
    if (code === quote) {
      const end = endOfString(text, at);
      if (expectsKey && level?.keys) {
        level.step = JSON.parse(text.slice(at, end + 1)) as string;
        checkKey(level.step, level.keys, levels);
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

function checkKey(key: string, keys: Set<string>, levels: readonly Level[]): void {
  const path = levels.map(({ step }) => step).join('.');
  if (key === '__proto__') throw refused(path, 'field __proto__ is not allowed');
  // No field of the API has such a name, and a look-up by name would find the object's inherited member.
  if (key in Object.prototype) throw refused(path, 'unknown field');
  if (keys.has(key)) throw refused(path, 'is given more than once');
  keys.add(key);
}

/** The index of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quote) return at;
  }
  return text.length;
}

function refused(field: string, problem: string): ApiError {
  return validationError({ field, problem });
}
