import type { TerminalClient } from '@libs/terminal-client';

/** The same terminal with some of its calls replaced. Each member is bound once, so that the hot path costs one look-up. */
export function withCalls(terminal: TerminalClient, calls: Partial<TerminalClient>): TerminalClient {
  const members = new Map<PropertyKey, unknown>(Object.entries(calls));
  return new Proxy(terminal, {
    get(target, property) {
      const known = members.get(property);
      if (known !== undefined) return known;
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      const bound: unknown = member.bind(target);
      members.set(property, bound);
      return bound;
    },
  });
}
