import { suggestion } from '@libs/command-line';
import type { FieldProblem } from '@libs/envelope';

/** The flatten option of a POST /kill. `unclear` names the invalid field. */
export type FlattenWish =
  { readonly kind: 'no' } | { readonly kind: 'yes' } | { readonly kind: 'unclear'; readonly problem: FieldProblem };

/** The raw body of a control request, cut off at a limit. */
export interface RawBody {
  readonly text: string;
  readonly isTruncated: boolean;
  /** The Content-Type header of the request; empty if there was none. */
  readonly contentType: string;
}

const words = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
]);
const notAFlag = unclear('flatten', 'must be true or false (also 1, yes, on, 0, no, off, in any letter case)');

/**
 * Reads `flatten` from query and body. A valid query makes an unreadable body irrelevant. A query and a body that
 * disagree are unclear, because closed positions cannot be restored.
 */
export function flattenWish(query: unknown, body: RawBody | undefined): FlattenWish {
  const misspelt = misspeltIn(query);
  if (misspelt !== undefined) return unclear(misspelt, 'unknown query parameter; did you mean flatten?');
  const inQuery = wishOf(fieldOf(query));
  const inBody = body === undefined ? null : wishOfBody(body);
  if (inQuery === null) return inBody ?? { kind: 'no' };
  if (inQuery.kind === 'unclear' || inBody === null || inBody.kind === 'unclear') return inQuery;
  return inQuery.kind === inBody.kind ? inQuery : unclear('flatten', 'differs between the query and the body');
}

/**
 * Parses a body as JSON regardless of the content type, else as a form; ignores any other text unless it contains
 * `flatten`.
 */
function wishOfBody({ text, isTruncated, contentType }: RawBody): FlattenWish | null {
  const content = text.replace(/^\ufeff/, '').trim();
  if (content === '') return null;
  if (isTruncated) return unclear('body', 'is too large');
  let fields: unknown;
  let isForm = false;
  try {
    fields = JSON.parse(content);
  } catch {
    if (/\bjson\b/i.test(contentType)) return unclear('body', 'is not valid JSON');
    fields = fieldsOfForm(content);
    isForm = true;
  }
  const misspelt = misspeltIn(fields);
  if (misspelt !== undefined) return unclear(misspelt, 'unknown field; did you mean flatten?');
  const wish = wishOf(fieldOf(fields));
  const isHidden = wish === null && isForm && /flatten/i.test(content);
  return isHidden ? unclear('body', 'contains flatten in an unsupported format') : wish;
}

/** `flatten` with each of its values. */
function fieldsOfForm(content: string): Readonly<Record<string, unknown>> {
  const form = new URLSearchParams(content);
  const flags = form.getAll('flatten');
  return { ...Object.fromEntries(form), ...(flags.length > 0 ? { flatten: flags } : {}) };
}

function fieldOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'flatten')) return undefined;
  return 'flatten' in value ? value.flatten : undefined;
}

/** A name that was probably meant to be `flatten`. Any other unknown one is ignored: it must not make a halt look refused. */
function misspeltIn(fields: unknown): string | undefined {
  if (typeof fields !== 'object' || fields === null) return undefined;
  return Object.keys(fields).find((name) => name !== 'flatten' && suggestion(name, ['flatten']) !== null);
}

/** Null if the field is absent. A repeated field must have the same value each time. */
function wishOf(field: unknown): FlattenWish | null {
  if (field === undefined || field === null) return null;
  const wanted = new Set([field].flat().map(flagOf));
  const [first] = wanted;
  if (wanted.size !== 1 || first === undefined) return notAFlag;
  return { kind: first ? 'yes' : 'no' };
}

function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return words.get(String(value).trim().toLowerCase());
}

function unclear(field: string, problem: string): FlattenWish {
  return { kind: 'unclear', problem: { field, problem } };
}
