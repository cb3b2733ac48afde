const wrong: readonly unknown[] = ['x', ' ', -1, 0, 1.5, 10 ** 9, [5], {}, null];

type Place = readonly (string | number)[];

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withMember(value: unknown, [name, ...rest]: Place, member: unknown): unknown {
  if (name === undefined) return member;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (index === name ? withMember(item, rest, member) : item));
  }
  const own = isMapping(value) ? value : {};
  return { ...own, [name]: withMember(own[name], rest, member) };
}

/** A file with one member absent, of another type, out of its range, or unknown; by what was changed. */
export function* changesOf(
  value: unknown,
  root: unknown = value,
  place: Place = [],
): Generator<[change: string, unknown]> {
  const at = place.join('.');
  for (const other of wrong) yield [`${at} = ${JSON.stringify(other)}`, withMember(root, place, other)];
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* changesOf(item, root, [...place, index]);
  }
  if (!isMapping(value)) return;
  yield [`${at}.unknown`, withMember(root, [...place, 'unknown'], 1)];
  for (const [name, member] of Object.entries(value)) {
    yield [`${at} without ${name}`, withMember(root, [...place, name], undefined)];
    yield* changesOf(member, root, [...place, name]);
  }
}

type Schema = Readonly<Record<string, unknown>>;

const mistakes = {
  number: [null, '', ' ', '5', 'no', '1_000', '5s', '1e3', NaN, Infinity, -Infinity, true, [5], {}],
  boolean: [null, '', 'no', 'yes', 'on', 'true', 0, 1, [true], {}],
  string: [null, 5, true, NaN, ['x'], {}],
  array: [null, '', 'x', 5, {}],
  object: [null, '', 'x', 5, ['x']],
};
const ofSeveralTypes = [null, true, NaN, Infinity, 0.5, 1e21, [5], {}];

/**
 * Files with one member that has no value or a value of another type, as YAML. The schema says which members there are, so that one which
 * is added later is tried as well, and also one that the value does not have.
 */
export function* mistakenFiles(
  schema: Schema,
  value: unknown,
  root: unknown = value,
  place: Place = [],
): Generator<{ readonly place: Place; readonly mistake: unknown; readonly text: string }> {
  const own = partFor(schema, value);
  if (place.length > 0) {
    for (const mistake of mistakesFor(own)) yield { place, mistake, text: yamlText(withMember(root, place, mistake)) };
  }
  const { properties = {}, additionalProperties, items } = own as Readonly<Record<string, Schema | undefined>>;
  for (const [name, member] of Object.entries(properties)) {
    const given = isMapping(value) ? value[name] : undefined;
    yield* mistakenFiles(member as Schema, given, root, [...place, name]);
  }
  for (const [name, member] of Object.entries(isMapping(value) ? value : {})) {
    if (!(name in properties) && isMapping(additionalProperties)) {
      yield* mistakenFiles(additionalProperties, member, root, [...place, name]);
    }
  }
  if (!Array.isArray(value) || items === undefined) return;
  for (const [index, item] of value.entries()) yield* mistakenFiles(items, item, root, [...place, index]);
}

/** Of a union, the part that the value is meant to be: its fixed words are those of the value. */
function partFor(schema: Schema, value: unknown): Schema {
  const parts = schema.oneOf;
  if (!Array.isArray(parts) || !isMapping(value) || schema.properties !== undefined) return schema;
  const fits = ({ properties }: Schema): boolean =>
    Object.entries((properties ?? {}) as Readonly<Record<string, Schema>>).every(
      ([name, { const: word, enum: words = [word] }]) =>
        (words as readonly unknown[])[0] === undefined || (words as readonly unknown[]).includes(value[name]),
    );
  return (parts as readonly Schema[]).find(fits) ?? schema;
}

function mistakesFor({ type, enum: words, anyOf, const: word }: Schema): readonly unknown[] {
  if (words !== undefined || word !== undefined) return [null, '', 5, true, 'no-such-word', ['x'], {}];
  if (anyOf !== undefined) return ofSeveralTypes;
  const [first = 'object'] = [type].flat();
  return first === 'integer' ? [...mistakes.number, 1.5, 1e21] : mistakes[first as keyof typeof mistakes];
}

/** JSON, which is YAML, with the numbers that only YAML has. */
function yamlText(value: unknown): string {
  const numbers = { 'not a number': '.nan', 'without end': '.inf', 'minus without end': '-.inf' };
  const nameOf = (number: number): string =>
    Number.isNaN(number) ? 'not a number' : number > 0 ? 'without end' : 'minus without end';
  const named = JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'number' && !Number.isFinite(member) ? nameOf(member) : member,
  );
  return Object.entries(numbers).reduce((text, [name, yaml]) => text.replaceAll(`"${name}"`, yaml), named);
}
