/** A part of the JSON Schema of a file that a FileReader reads. */
export type FileSchema = Readonly<Record<string, unknown>>;

/** The dialect that editors understand. */
export const dialect = { $schema: 'http://json-schema.org/draft-07/schema#' };

/** A mapping with these members and no others. @param required names of the members that it must have */
export function mapping(properties: FileSchema, required: readonly string[], more: FileSchema = {}): FileSchema {
  return { type: 'object', properties, required, additionalProperties: false, ...more };
}

export const text: FileSchema = { type: 'string', pattern: '\\S' };

export function numberSchema(minimum: number, maximum: number): FileSchema {
  return { type: 'number', minimum, maximum };
}

export function listOf(items: FileSchema): FileSchema {
  return { type: 'array', items };
}

export const texts = listOf({ type: 'string', minLength: 1 });

/** One of the two members that name a secret, the other absent. */
export function oneSecret(name: string): FileSchema {
  const given = (member: string): FileSchema => ({ required: [member], properties: { [member]: text } });
  return { oneOf: [given(`${name}_env`), given(`${name}_file`)] };
}
