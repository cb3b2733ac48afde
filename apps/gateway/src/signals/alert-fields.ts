import { ApiError, type FieldProblem } from '@libs/envelope';
import { parseStrictJson } from '@libs/http-surface';

/** One `name=value` of an alert. */
export interface AlertField {
  readonly value: string;
  /** Where it begins, from 1; null where the name says it. */
  readonly column: number | null;
}

/** What is wrong with an alert, with its column. */
export interface AlertProblem extends FieldProblem {
  readonly column: number | null;
}

/** What an alert contains, not yet understood. */
export interface AlertFields {
  readonly fields: ReadonlyMap<string, AlertField>;
  readonly problems: readonly AlertProblem[];
}

/** Bytes of the longest alert. */
export const longestAlert = 8_192;

/** Splits an alert into its fields: a JSON object, or one line of text. Never throws. */
export function alertFields(body: Buffer): AlertFields {
  // A column is that of the text as it came.
  const text = body
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimEnd();
  if (text === '') return wrong('body', 'is empty: send an alert such as `buy EURUSD lots=0.1 id=1`');
  // What begins with two braces is a placeholder that the sender did not replace.
  return /^\s*(?:\{(?!\{)|\[)/.test(text) ? jsonFields(body) : lineFields(text);
}

/** What is wrong comes in the order of the text, and what is missing after it: the rest may follow from the first. */
export function inOrder(problems: readonly AlertProblem[]): FieldProblem[] {
  const last = Number.POSITIVE_INFINITY;
  return [...problems]
    .sort((a, b) => (a.column === b.column ? 0 : (a.column ?? last) - (b.column ?? last)))
    .map(({ field, problem, column }) => ({
      field,
      problem: column === null ? problem : `at column ${column}: ${problem}`,
    }));
}

function wrong(field: string, problem: string, column: number | null = null): AlertFields {
  return { fields: new Map(), problems: [{ field, problem, column }] };
}

function jsonFields(body: Buffer): AlertFields {
  let value: unknown;
  try {
    value = parseStrictJson(body);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return wrong('body', error.message.replace(/^body: /, ''));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrong('body', 'must be a JSON object');
  const problems: AlertProblem[] = [];
  const fields = new Map<string, AlertField>();
  for (const [name, member] of Object.entries(value)) {
    if (member === null) continue;
    if (typeof member === 'number' && Math.abs(member) > Number.MAX_SAFE_INTEGER)
      problems.push({
        field: name,
        problem: 'has more digits than a JSON number keeps: write it as a text',
        column: null,
      });
    else if (typeof member === 'string' || typeof member === 'number')
      fields.set(name, { value: String(member), column: null });
    else problems.push({ field: name, problem: 'must be a text or a number', column: null });
  }
  return { fields, problems };
}

/** A value ends at a space; one in double quotes at the closing quote. */
const part = /(?:[^\s"=]+="[^"]*"|[^\s"]+)(?=\s|$)/y;
const control = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/u;

/** `verb symbol name=value …`: the verb and the symbol become the fields `action` and `symbol`. */
function lineFields(text: string): AlertFields {
  const odd = control.exec(text.replaceAll('\t', ' '));
  if (odd) return wrong('body', 'must be one line of plain text, or a JSON object', odd.index + 1);
  const problems: AlertProblem[] = [];
  const fields = new Map<string, AlertField>();
  const words: AlertField[] = [];
  const add = (name: string, value: string, column: number): void => {
    if (fields.has(name)) problems.push({ field: name, problem: 'is given twice', column });
    else if (value === '') problems.push({ field: name, problem: 'has no value', column });
    else fields.set(name, { value, column });
  };
  for (let at = 0; at < text.length;) {
    if (/\s/.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    part.lastIndex = at;
    const found = part.exec(text)?.[0];
    const column = at + 1;
    if (found === undefined) {
      problems.push({ field: 'body', problem: 'a quote that is not name="value"', column });
      break;
    }
    const equals = found.indexOf('=');
    if (equals === 0) problems.push({ field: 'body', problem: 'a name is missing before =', column });
    else if (equals > 0) add(found.slice(0, equals), unquoted(found.slice(equals + 1)), column);
    else words.push({ value: found, column });
    at += found.length;
  }
  takeWords(words, fields, problems);
  return { fields, problems };
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1) : value;
}

/** The words before or between the fields: a verb of one or two words, then the symbol. */
function takeWords(words: readonly AlertField[], fields: Map<string, AlertField>, problems: AlertProblem[]): void {
  const [first, second] = words;
  if (first === undefined) return;
  const isTwo = first.value.toLowerCase() === 'close' && /^(?:long|short)$/i.test(second?.value ?? '');
  const verb = isTwo ? `close_${second?.value.toLowerCase()}` : first.value;
  const [symbol, extra] = words.slice(isTwo ? 2 : 1);
  for (const [name, word] of [
    ['action', { ...first, value: verb }],
    ['symbol', symbol],
  ] as const) {
    if (word === undefined) continue;
    if (fields.has(name)) problems.push({ field: name, problem: 'is given twice', column: word.column });
    else fields.set(name, word);
  }
  if (extra) problems.push({ field: 'body', problem: `${quoted(extra.value)} is no name=value`, column: extra.column });
}

/** A text of the alert in a message, shortened. */
export function quoted(text: string): string {
  return `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}"`;
}
