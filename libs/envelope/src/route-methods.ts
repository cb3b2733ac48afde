import type { FastifyInstance } from 'fastify';

interface Template {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/**
 * Which methods a path answers to, so that a wrong method is told apart from an unknown path. Fastify's router only
 * says "not found" for both. Consulted on that error path alone.
 */
export class RouteMethods {
  private readonly templates = new Map<string, Template>();

  /** Has to run before the routes are registered. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', ({ url, method }) => {
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
    .map((part) => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${source}/?$`);
}
