/** How a request carries the credential. */
export type Credential = 'right' | 'missing' | 'wrong';

/** One request of a run, complete: it can be sent again without the run that made it. */
export interface FuzzRequest {
  /** Its place in the run, from 1. */
  readonly number: number;
  readonly method: string;
  /** The path and the query, as they are written on the request line. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | null;
  readonly credential: Credential;
  /** `socket` for what in-process injection would repair on its way: the path, doubled headers. */
  readonly way: 'inject' | 'socket';
  /** Virtual milliseconds that pass before it. */
  readonly waitMs: number;
  /** How often it is sent, all at once. */
  readonly copies: number;
}

/** An answer as it came over the wire. */
export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The value of a header; undefined when the request has none of that name. */
export function headerOf({ headers }: Pick<FuzzRequest, 'headers'>, name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1];
}

/** The path without the query. */
export function pathOf({ url }: Pick<FuzzRequest, 'url'>): string {
  return url.split('?', 1)[0] ?? url;
}

/** The body as JSON; undefined when there is none or it is not JSON. */
export function jsonOf({ body }: Pick<FuzzRequest, 'body'>): unknown {
  return body === null ? undefined : parsedJson(body.toString('utf8'));
}

/** The value of a JSON text; undefined when it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A member of a value; undefined when the value is not an object or has no such member. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
