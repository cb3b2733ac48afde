type Node = Readonly<Record<string, unknown>>;

/**
 * Converts the nulls of a document's schemas to OpenAPI 3.1. The decorators write `nullable: true`, which 3.1 does not
 * have, and which in 3.0 does not allow null for an `enum` or a reference.
 */
export function withNullTypes<Document extends object>(document: Document): Document {
  return rewritten(document) as Document;
}

function rewritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewritten);
  if (!isNode(value)) return value;
  const { nullable, ...schema }: Node = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, rewritten(member)]),
  );
  if (typeof nullable !== 'boolean') return nullable === undefined ? schema : { ...schema, nullable };
  return nullable ? orNull(schema) : schema;
}

const nullType = { type: 'null' } as const;

function orNull(schema: Node): Node {
  const { allOf, type, enum: values, ...rest } = schema;
  if (Array.isArray(allOf)) return { ...rest, anyOf: [...(allOf as unknown[]), nullType] };
  if (typeof type !== 'string') throw new Error(`a nullable schema has no type: ${JSON.stringify(schema)}`);
  // Generators create one enumeration from this; from an enum that contains null they create several, or none.
  if (values !== undefined) return { ...rest, anyOf: [{ type, enum: values }, nullType] };
  return { ...rest, type: [type, 'null'] };
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
