import type { FieldProblem } from '@libs/envelope';

/** What a POST /kill asks for beside the halt. `unclear` names what was not understood. */
export type FlattenWish =
  { readonly kind: 'no' } | { readonly kind: 'yes' } | { readonly kind: 'unclear'; readonly problem: FieldProblem };

/** The body of a control request as it came; cut off at a limit. */
export interface RawBody {
  readonly text: string;
  readonly isTruncated: boolean;
  /** The Content-Type header of the request; empty when there was none. */
  readonly contentType: string;
}

const words = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
]);
const notAFlag = unclear('flatten', 'must be true or false (also 1, yes, on, 0, no, off, in any letter case)');

/**
 * Reads `flatten` from query and body. A query that is clear makes a body that cannot be read irrelevant; a query and a
 * body that disagree are unclear, since closing positions cannot be undone.
 */
export function flattenWish(query: unknown, body: RawBody | undefined): FlattenWish {
  const inQuery = wishOf(fieldOf(query));
  const inBody = body === undefined ? null : wishOfBody(body);
  if (inQuery === null) return inBody ?? { kind: 'no' };
  if (inQuery.kind === 'unclear' || inBody === null || inBody.kind === 'unclear') return inQuery;
  return inQuery.kind === inBody.kind ? inQuery : unclear('flatten', 'is not the same in the query and in the body');
}

/** JSON whatever the content type says, else a form, else a text, which asks for nothing unless it names `flatten`. */
function wishOfBody({ text, isTruncated, contentType }: RawBody): FlattenWish | null {
  const content = text.replace(/^\ufeff/, '').trim();
  if (content === '') return null;
  if (isTruncated) return unclear('body', 'is too large to be read');
  try {
    return wishOf(fieldOf(JSON.parse(content)));
  } catch {
    if (/\bjson\b/i.test(contentType)) return unclear('body', 'is not valid JSON');
  }
  const values = new URLSearchParams(content).getAll('flatten');
  if (values.length > 0) return wishOf(values);
  return /flatten/i.test(content) ? unclear('body', 'names flatten in a form that is not understood') : null;
}

function fieldOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'flatten')) return undefined;
  return 'flatten' in value ? value.flatten : undefined;
}

/** Null when the field is not there. A field that is given more than once has to say the same each time. */
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
