import type { OpenAPIObject } from '@nestjs/swagger';

/** A JSON schema, as far as values are made from it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly example?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

/** One method of one path. */
export interface Operation {
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly isPublic: boolean;
  readonly takesKey: boolean;
  /** Answers with events, without an end. */
  readonly isStream: boolean;
  readonly parameters: readonly Parameter[];
  /** Schema of the JSON body; null when the document describes none. */
  readonly body: Schema | null;
}

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly security?: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>;
  readonly 'x-route-facts'?: { readonly idempotent: boolean };
}

/** Every operation of an OpenAPI document, with its schemas resolved. */
export function documentedOperations(document: OpenAPIObject): readonly Operation[] {
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  return Object.entries(document.paths as Record<string, Readonly<Record<string, Described>>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => {
      const body = described.requestBody?.content['application/json']?.schema;
      return {
        method: method.toUpperCase(),
        path,
        isPublic: described.security?.length === 0,
        takesKey: described['x-route-facts']?.idempotent === true,
        isStream: Object.keys(described.responses['200']?.content ?? {}).includes('text/event-stream'),
        parameters: (described.parameters ?? []).map((each) => ({ ...each, schema: resolved(each.schema, schemas) })),
        body: body ? resolved(body, schemas) : null,
      };
    }),
  );
}

function resolved(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return resolved(schemas[name] ?? {}, schemas);
  const { properties } = schema;
  if (!properties) return schema;
  const all = Object.entries(properties).map(([field, each]) => [field, resolved(each, schemas)] as const);
  return { ...schema, properties: Object.fromEntries(all) };
}
