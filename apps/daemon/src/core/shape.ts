/** Checks a stored value: what is wrong with it, naming the member; null if nothing is. `Value` is the type of what passes. */
export type Shape<Value = unknown> = ((value: unknown) => string | null) & { readonly passes?: Value };

type Members = Readonly<Record<string, Shape>>;
type ValueOf<Declared> = Declared extends Shape<infer Value> ? Value : never;
type Optional<M> = { [Name in keyof M]: undefined extends ValueOf<M[Name]> ? Name : never }[keyof M];

/** The record that the members declare. One that may be absent is optional. */
export type Stored<M> = { readonly [Name in keyof Omit<M, Optional<M>>]: ValueOf<M[Name]> } & {
  readonly [Name in keyof Pick<M, Optional<M>>]?: Exclude<ValueOf<M[Name]>, undefined>;
};

const is =
  <Value>(what: string, test: (value: unknown) => boolean): Shape<Value> =>
  (value) =>
    test(value) ? null : `is ${describe(value)} instead of ${what}`;

/** An object whose members are not checked. */
export const unchecked = <Value extends object>(): Shape<Value> =>
  is('an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value));

const object = unchecked();

export const text = is<string>('a text', (value) => typeof value === 'string');
export const number = is<number>('a number', (value) => typeof value === 'number' && Number.isFinite(value));
export const count = is<number>('a whole number', (value) => Number.isSafeInteger(value) && Number(value) >= 0);
export const flag = is<boolean>('true or false', (value) => typeof value === 'boolean');
/** An exact amount, as decimal text. */
export const decimal = is<string>(
  'an amount',
  (value) => typeof value === 'string' && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(value),
);

/** A value as JSON text. */
export const jsonText = is<string>('JSON', (value) => typeof value === 'string' && isJson(value));

export const oneOf = <const Word extends string>(...words: readonly Word[]): Shape<Word> =>
  is(words.join(' or '), (value) => words.some((word) => word === value));

export const orNull =
  <Value>(shape: Shape<Value>): Shape<Value | null> =>
  (value) =>
    value === null ? null : shape(value);

/** A member that records of an earlier version may lack, or that only some records have. */
export const orAbsent =
  <Value>(shape: Shape<Value>): Shape<Value | undefined> =>
  (value) =>
    value === undefined ? null : shape(value);

export const each =
  <Value>(shape: Shape<Value>): Shape<readonly Value[]> =>
  (value) => {
    if (!Array.isArray(value)) return `is ${describe(value)} instead of a list`;
    const found = value.map((member, index) => [index, shape(member)] as const).find(([, problem]) => problem !== null);
    return found ? `[${found[0]}] ${found[1]}` : null;
  };

/** Amounts by name. */
export const amounts: Shape<Readonly<Record<string, string>>> = (value) =>
  object(value) ?? each(decimal)(Object.values(Object(value) as object));

export function record<const M extends Members>(members: M): Shape<Stored<M>> {
  return (value) => {
    const problem = object(value);
    if (problem !== null) return problem;
    for (const [name, shape] of Object.entries(members)) {
      const wrong = shape((value as Readonly<Record<string, unknown>>)[name]);
      if (wrong !== null) return `${name} ${wrong}`.replace(/ \[/, '[');
    }
    return null;
  };
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  return JSON.stringify(value).slice(0, 60);
}
