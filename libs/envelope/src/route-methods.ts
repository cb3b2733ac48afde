import type { FastifyInstance } from 'fastify';

interface Template {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/**
 * The methods that each path supports. Fastify's router reports an unknown path and a wrong method alike; this
 * distinguishes them, only for errors. Paths match as in the router: a trailing slash is part of the path. Wildcard
 * routes (static files, preflights) are excluded, because a matching path does not prove that the resource exists.
 */
export class RouteMethods {
  private readonly templates = new Map<string, Template>();

  /** Call before the routes are registered. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, method }) => {
      if (url.includes('*')) return;
      const template = this.templates.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
      for (const each of [method].flat()) template.methods.add(each);
      this.templates.set(url, template);
    });
  }

  /** Every route with a path of its own, as registered; parameters start with a colon. */
  get routes(): readonly { readonly path: string; readonly methods: readonly string[] }[] {
    return [...this.templates].map(([path, { methods }]) => ({ path, methods: [...methods].sort() }));
  }

  /** The methods that the path supports, in order; empty if no route matches. */
  allowed(path: string): string[] {
    const methods = new Set<string>();
    for (const template of this.templates.values()) {
      if (template.pattern.test(path)) for (const method of template.methods) methods.add(method);
    }
    return [...methods].sort();
  }
}

function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${source}$`);
}
