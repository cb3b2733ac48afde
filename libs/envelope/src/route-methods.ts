import type { FastifyInstance } from 'fastify';

interface Template {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/**
 * The methods that a path answers to. Fastify's router reports an unknown path and a wrong method alike; this tells
 * them apart, on the error path only. Matches as the router does: a trailing slash is part of the path. Wildcard routes
 * (static files, preflights) are left out: that they match a path does not prove that there is anything.
 */
export class RouteMethods {
  private readonly templates = new Map<string, Template>();

  /** Has to run before the routes are registered. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, method }) => {
      if (url.includes('*')) return;
      const template = this.templates.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
      for (const each of [method].flat()) template.methods.add(each);
      this.templates.set(url, template);
    });
  }

  /** The methods the path takes, in order; empty when no route has it. */
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
