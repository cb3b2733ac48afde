/** Longest text of other people that an answer contains, in characters. */
const mostCharacters = 200;
/** A name, number or time without a blank: too short and too plain for a sentence. */
const plainWord = /^[A-Za-z0-9][A-Za-z0-9._:+/#@^!&$%~-]{0,47}$/;
const isoTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;
/** Members whose text a broker, another program or a person chose freely; even one word of them is marked. */
const freeMembers = new Set([
  ...['comment', 'name', 'company', 'description', 'bank', 'basis', 'category', 'exchange', 'external_id', 'formula'],
  ...[
    'isin',
    'page',
    'text',
    'message',
    'reason',
    'error',
    'problem',
    'title',
    'body',
    'alert',
    'note',
    'line',
    'lines',
  ],
]);
/** Our own names of rows, which the model has to repeat to ask for one. */
const nameIsKey = /^[A-Za-z0-9][A-Za-z0-9._#+-]{0,31}$/;

/**
 * Text that came from a broker or from other people, in the form in which a model receives it: between « and », on one line, without
 * control and format characters, and cut at a length. It cannot end its own mark.
 */
export function marked(text: string): string {
  const clean = text
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll('«', '‹')
    .replaceAll('»', '›')
    .trim();
  const characters = [...clean];
  const cut = characters.length > mostCharacters ? `${characters.slice(0, mostCharacters).join('')}…` : clean;
  return `«${cut}»`;
}

/** A line for a person's eyes, in which characters that are not printed, or that a terminal obeys, are written as their code. */
export function printable(line: string): string {
  return line.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}

/** An answer of the gateway in which every text that is no plain word is marked. Numbers, booleans and nulls are unchanged. */
export function asData(value: unknown, member = ''): unknown {
  if (typeof value === 'string') return textOf(value, member);
  if (Array.isArray(value)) return value.map((item) => asData(item, member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [keyOf(name), asData(item, name)]));
}

/** The same for an object. */
export function recordAsData(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [keyOf(name), asData(item, name)]));
}

function textOf(text: string, member: string): string {
  if (text === '' || isoTime.test(text)) return text;
  if (member === 'name' && nameIsKey.test(text)) return text;
  return !freeMembers.has(member) && plainWord.test(text) ? text : marked(text);
}

/** The names of members are ours, but for mappings by symbol or name. */
function keyOf(name: string): string {
  return plainWord.test(name) ? name : marked(name);
}
