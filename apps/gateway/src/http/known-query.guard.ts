import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { validationError, type FieldProblem } from '@libs/envelope';
import { queryProblems } from '@libs/http-surface';
import { TradeJournal } from '../trade-journal/trade-journal';
import { GuardRefusal } from './guard-refusal';
import { idempotencyKeyOf } from './idempotency-key';
import { routeFactsOf, type RouteFacts } from './route-facts';

/**
 * Refuses query parameters that the route does not document, repeated ones, and the body of a GET: a filter that is not read
 * must not select everything. A request with a used key passes, because nothing is sent for it again. A halt is not refused for
 * its form; its handler reports such a parameter.
 */
@Injectable()
export class KnownQueryGuard implements CanActivate {
  constructor(
    private readonly journal: TradeJournal,
    private readonly refusal: GuardRefusal,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.method === 'GET' && hasBody(request)) throw validationError(bodyOfRead);
    if (!request.url.includes('?')) return true;
    const handler = context.getHandler();
    const facts = routeFactsOf(handler);
    if (facts === null || facts.readsOwnQuery) return true;
    const problems = queryProblems(request.query, documentedQuery(handler));
    return problems.length === 0 ? true : this.refuse(request, facts, problems);
  }

  private async refuse(request: FastifyRequest, facts: RouteFacts, problems: FieldProblem[]): Promise<boolean> {
    const error = validationError(...problems);
    if (!facts.idempotent) throw error;
    const key = idempotencyKeyOf(request);
    if (key !== null && this.journal.remembers(key)) return true;
    throw await this.refusal.of(request, key, facts, error);
  }
}

const bodyOfRead = { field: 'body', problem: 'a GET has none, and it would be ignored: put its fields into the query' };

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Where `@ApiQuery` keeps what it documents; the package does not export the name. */
const documentedParameters = 'swagger/apiParameters';
const cache = new WeakMap<object, readonly string[]>();

/** The query parameters that the OpenAPI document has for a handler, so that what is documented is what is accepted. */
function documentedQuery(handler: object): readonly string[] {
  const known = cache.get(handler) ?? queryNames(Reflect.getMetadata(documentedParameters, handler));
  cache.set(handler, known);
  return known;
}

function queryNames(parameters: unknown): string[] {
  if (!Array.isArray(parameters)) return [];
  const documented: readonly unknown[] = parameters;
  // Decorators run from the last to the first.
  return [...documented].reverse().flatMap((parameter) => {
    const isQuery =
      typeof parameter === 'object' &&
      parameter !== null &&
      'in' in parameter &&
      'name' in parameter &&
      parameter.in === 'query' &&
      typeof parameter.name === 'string';
    return isQuery ? [String(parameter.name)] : [];
  });
}
