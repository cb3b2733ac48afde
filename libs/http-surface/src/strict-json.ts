import { isUtf8 } from 'node:buffer';
import { validationError, type ApiError } from '@libs/envelope';
import { endOfString, visitKeys } from '@libs/settings';
import { jsonErrorAt, placeOf } from './json-error';

/** Maximum nesting of arrays and objects in a body. The API needs three; the limit protects recursive code. */
const mostLevels = 32;

const quote = 0x22;
const openArray = 0x5b;
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

/** Expects valid JSON. @throws ApiError validation_error for the first duplicate or reserved key */
function checkKeys(text: string): void {
  visitKeys(text, (path, key, isDoubled) => {
    if (key === '__proto__') throw refused(path, 'field __proto__ is not allowed');
    // No field of the API has such a name, and a look-up by name would find the object's inherited member.
    if (key in Object.prototype) throw refused(path, 'unknown field');
    if (isDoubled) throw refused(path, 'is given more than once');
  });
}

function refused(field: string, problem: string): ApiError {
  return validationError({ field, problem });
}
