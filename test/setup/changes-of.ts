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
