import type { OpenAPIObject } from '@nestjs/swagger';

type Node = Readonly<Record<string, unknown>>;

const expiredName = 'ExpiredTradeResponse';
const expiredMeaning =
  'If `original_response_expired` is present, this is the replay of a request whose own answer is no longer kept ' +
  '(IDEMPOTENCY_TTL_SECONDS): only the required members, `ticket`, `recovered` and `original_status` are there, and of ' +
  '`result` at most `order`.';

/**
 * Gives each trade route one schema for its own answer and for the replay after that answer has expired: with a union, some generators
 * skip the operation, and the others need a guard before each member. What only one of them has is not required.
 */
export function withExpiredAnswers(document: OpenAPIObject): OpenAPIObject {
  const { [expiredName]: expired, ExpiredResult: expiredResult, ...schemas } = nodesOf(document.components?.schemas);
  if (expired === undefined || expiredResult === undefined) throw new Error(`the document has no ${expiredName}`);
  const merged = new Map<string, Node>();
  for (const name of new Set(tradeAnswers(document))) {
    const answer = schemas[name] ?? {};
    const members = nodesOf(answer['properties']);
    const result = nodesOf(schemas)[refName(members['result']?.['$ref'])];
    merged.set(name, {
      ...requiredOfBoth(answer, expired),
      description: expiredMeaning,
      properties: {
        ...nodesOf(expired['properties']),
        ...members,
        ...nullableOf(members, nodesOf(expired['properties'])),
      },
    });
    if (result !== undefined && 'order' in nodesOf(result['properties']))
      merged.set(refName(members['result']?.['$ref']), requiredOfBoth(result, expiredResult));
  }
  return {
    ...document,
    components: { ...document.components, schemas: { ...schemas, ...Object.fromEntries(merged) } },
  };
}

/** The names of the schemas of the successes of all trade routes. */
function tradeAnswers(document: OpenAPIObject): string[] {
  const operations = Object.values(nodesOf(document.paths)).flatMap((item) => Object.values(nodesOf(item)));
  return operations
    .filter((operation) => nodesOf(operation)['x-route-facts']?.['idempotent'] === true)
    .map((operation) => {
      const media = nodesOf(nodesOf(nodesOf(operation['responses'])['200'])['content'])['application/json'];
      return refName(nodesOf(media)['schema']?.['$ref']);
    });
}

function requiredOfBoth(answer: Node, expired: Node): Node {
  const others = textsOf(expired['required']);
  return { ...answer, required: textsOf(answer['required']).filter((name) => others.includes(name)) };
}

/** The members of an answer that may be null in the expired one. */
function nullableOf(members: Readonly<Record<string, Node>>, expired: Readonly<Record<string, Node>>): Node {
  const shared = Object.entries(members).filter(([name]) => expired[name]?.['nullable'] === true);
  return Object.fromEntries(
    shared.map(([name, { $ref, ...member }]) => [
      name,
      $ref === undefined
        ? { ...member, nullable: true }
        : { nullable: true, allOf: [{ $ref }], description: expired[name]?.['description'] },
    ]),
  );
}

function refName(reference: unknown): string {
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : '';
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The members of an object that are objects themselves. */
function nodesOf(value: unknown): Readonly<Record<string, Node>> {
  return isNode(value)
    ? Object.fromEntries(Object.entries(value).filter((entry): entry is [string, Node] => isNode(entry[1])))
    : {};
}

/**
 * Converts the schemas of a document for generators. A null is the one of OpenAPI 3.1: the decorators write `nullable: true`, which
 * 3.1 does not have, and which in 3.0 does not allow null for an `enum` or a reference. Each number has a format, because without one
 * some generators use 32 bits, which round a ticket, a magic and a price.
 */
export function withExactTypes<Document extends object>(document: Document): Document {
  return rewritten(document) as Document;
}

function rewritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewritten);
  if (!isNode(value)) return value;
  const { nullable, ...schema }: Node = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, rewritten(member)]),
  );
  const typed = withFormat(schema);
  if (typeof nullable !== 'boolean') return nullable === undefined ? typed : { ...typed, nullable };
  return nullable ? orNull(typed) : typed;
}

const formats: ReadonlyMap<unknown, string> = new Map([
  ['integer', 'int64'],
  ['number', 'double'],
]);

/** A schema with the format of its numbers. A member that is named `type` is a node, and no type. */
function withFormat(schema: Node): Node {
  const format = formats.get(schema['type']);
  return format === undefined ? schema : { ...schema, format };
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
