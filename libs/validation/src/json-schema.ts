import { getMetadataStorage } from 'class-validator';
import { nestedOf, saidOf } from './rules';

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type Members = Readonly<Record<string, JsonSchema>>;

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** A text in which the environment is inserted may be anything. */
const interpolated = '\\$\\{';

/** What each rule means in JSON Schema. */
const meanings: Readonly<Record<string, (constraint: unknown) => JsonSchema>> = {
  isString: () => ({ type: 'string' }),
  isNotEmpty: () => ({ minLength: 1 }),
  matches: (shape) => (shape instanceof RegExp ? { type: 'string', pattern: `${shape.source}|${interpolated}` } : {}),
  isIn: (words) => ({ enum: words }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isPositive: () => ({ exclusiveMinimum: 0 }),
  min: (least) => ({ minimum: least }),
  max: (most) => (most === Number.MAX_VALUE ? {} : { maximum: most }),
  isObject: () => ({ type: 'object' }),
  isNotEmptyObject: () => ({ minProperties: 1 }),
  isArray: () => ({ type: 'array' }),
  arrayNotEmpty: () => ({ minItems: 1 }),
  isBoolean: () => ({ type: 'boolean' }),
  isTimeZone: () => ({ type: 'string', minLength: 1 }),
  // A rule about several members is left to the program.
  holds: () => ({}),
};

/**
 * The JSON Schema of a file that {@link checked} accepts as a class, from the rules of its decorators. Editors complete and underline by it;
 * what depends on several members or on the environment is left to the program.
 * @throws Error for a rule without a meaning here
 */
export function jsonSchemaOf(type: new () => object): JsonSchema & { readonly properties: Members } {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
  const members = names.map((name) => {
    const own = rules.filter(({ propertyName }) => propertyName === name);
    return { name, ...memberOf(type, name, own) };
  });
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    required: members.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: false,
  };
}

function memberOf(
  type: new () => object,
  name: string,
  rules: readonly Rule[],
): { readonly schema: JsonSchema; readonly isRequired: boolean } {
  const isOptional = rules.some((rule) => rule.type === 'conditionalValidation');
  const own = rules.filter((rule) => rule.type === 'customValidation');
  const whole = meaningOf(own.filter(({ each }) => !each));
  const items = meaningOf(own.filter(({ each }) => each));
  const schema = {
    ...saidOf(type, name),
    ...whole,
    ...(Object.keys(items).length === 0 ? {} : { items }),
    ...nestedOf(type, name, jsonSchemaOf),
  };
  // An absent mapping or list is an empty one.
  const isRequired = !isOptional || 'minProperties' in whole || 'minItems' in whole;
  return { schema, isRequired };
}

function meaningOf(rules: readonly Rule[]): JsonSchema {
  return rules.reduce<JsonSchema>((schema, { name = '', constraints }) => {
    const meaning = meanings[name];
    if (meaning === undefined) throw new Error(`the rule ${name} has no meaning in a JSON Schema`);
    const given: readonly unknown[] = constraints ?? [];
    const added = meaning(given[0]);
    // Each rule applies: one for numbers does not undo one for integers.
    return {
      ...schema,
      ...added,
      ...(schema.type === 'integer' && added.type === 'number' ? { type: 'integer' } : {}),
    };
  }, {});
}
