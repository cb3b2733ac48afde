/** Type of a member on the wire. An `integer` is a number that is documented as whole. */
export type FieldType = 'integer' | 'number' | 'string' | 'boolean';

/** One member of a record, declared once: the types, the checks and the documents derive from it. */
export interface Field<Value> {
  readonly type: FieldType;
  readonly nullable: boolean;
  /** All values that the document names; null if it names none. A check accepts others, which a newer program may send. */
  readonly values: readonly Value[] | null;
  /** What the document shows. It also gives the member its type. */
  readonly example: Value;
  /** Unit and meaning, as documents and editors show them. */
  readonly description: string | null;
}

/** The members of a record by name, in the order of the document. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The record that the fields declare. */
export type RecordOf<Declared> = {
  -readonly [Name in keyof Declared]: Declared[Name] extends Field<infer Value> ? Value : never;
};

export function integer(example: number, description: string | null = null): Field<number> {
  return { type: 'integer', nullable: false, values: null, example, description };
}

export function number(example: number, description: string | null = null): Field<number> {
  return { type: 'number', nullable: false, values: null, example, description };
}

export function text(example: string, description: string | null = null): Field<string> {
  return { type: 'string', nullable: false, values: null, example, description };
}

export function flag(example: boolean, description: string | null = null): Field<boolean> {
  return { type: 'boolean', nullable: false, values: null, example, description };
}

/** A word of a closed list. */
export function oneOf<const Word extends string>(
  values: readonly Word[],
  example: NoInfer<Word>,
  description: string | null = null,
): Field<Word> {
  return { type: 'string', nullable: false, values, example, description };
}

/** The same member where null means that the value is not known or does not exist. */
export function nullable<Value>(field: Field<Value>, example: Value | null = field.example): Field<Value | null> {
  return { ...field, nullable: true, example };
}

/** The same record without some of its members. */
export function without<Declared extends Fields, Name extends keyof Declared>(
  fields: Declared,
  ...names: readonly Name[]
): Omit<Declared, Name> {
  const left = new Set<PropertyKey>(names);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !left.has(name))) as Omit<Declared, Name>;
}

/** Only these members of a record, in the order of the record. */
export function only<Declared extends Fields, Name extends keyof Declared>(
  fields: Declared,
  ...names: readonly Name[]
): Pick<Declared, Name> {
  const wanted = new Set<PropertyKey>(names);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => wanted.has(name))) as Pick<Declared, Name>;
}
