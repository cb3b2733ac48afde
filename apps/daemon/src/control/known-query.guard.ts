import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { validationError } from '@libs/envelope';
import { queryProblems } from '@libs/http-surface';

/**
 * The query parameters of each route, by the first word of its path. A route that is not here takes any: probes and scrapers add
 * their own to `/health` and `/metrics`.
 */
const parameters: Readonly<Record<string, readonly string[]>> = {
  list: ['scope'],
  status: ['scope'],
  latency: ['scope'],
  backtest: ['scope'],
  equity: ['days', 'scope'],
  logs: ['lines', 'since', 'level', 'follow', 'scope'],
};

/** Refuses query parameters that a route does not have, and repeated ones: one that is not read must not select everything. */
@Injectable()
export class KnownQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { url, query } = context.switchToHttp().getRequest<FastifyRequest>();
    const [path = ''] = url.split('?');
    const known = parameters[path.split('/')[1] ?? ''];
    const problems = known === undefined ? [] : queryProblems(query, known);
    if (problems.length > 0) throw validationError(...problems);
    return true;
  }
}
