/** The globals of a context with everything that is reached through their objects: what code may change for the code after it. */
export class GlobalValues {
  private readonly values: readonly unknown[];

  /** @param kept functions and objects outside of the globals that the code after it finds, too */
  constructor(private readonly kept: readonly unknown[] = []) {
    this.values = present(kept);
  }

  /** Whether nothing was added, removed or replaced since. */
  get areSame(): boolean {
    const now = present(this.kept);
    return now.length === this.values.length && now.every((value, at) => Object.is(value, this.values[at]));
  }
}

/** Names and values of members: of the global object, of its functions and their prototypes, and of all plain objects in these. */
function present(kept: readonly unknown[]): unknown[] {
  const values: unknown[] = [];
  const owners = new Set<object>([globalThis, ...kept.filter(hasMembers)]);
  for (const owner of owners) {
    for (const name of Reflect.ownKeys(owner)) {
      const member = Object.getOwnPropertyDescriptor(owner, name) ?? {};
      const value: unknown = member.value;
      values.push(name, value, Reflect.get(member, 'get'));
      if (typeof value === 'object' && value !== null) owners.add(value);
      else if (typeof value === 'function' && (owner === globalThis || name === 'prototype')) owners.add(value);
    }
  }
  return values;
}

function hasMembers(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
