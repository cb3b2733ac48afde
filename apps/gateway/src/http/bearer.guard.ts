import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { authorizationOf, keyRoles, type KeyRoleOf } from './api-key';
import { keyProblem } from './key-access';
import { routeFactsOf } from './route-facts';

/** Checks the key. Without API_KEY, and on a route that declares no access, it denies every caller. */
@Injectable()
export class BearerGuard implements CanActivate {
  private readonly roleOf: KeyRoleOf;

  constructor(
    @Inject(GATEWAY_SETTINGS) settings: Pick<GatewaySettings, 'API_KEY' | 'API_KEY_NEXT' | 'API_KEY_READONLY'>,
  ) {
    this.roleOf = keyRoles(settings);
  }

  canActivate(context: ExecutionContext): boolean {
    const facts = routeFactsOf(context.getHandler());
    if (facts?.access === 'public' || facts?.access === 'secret') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    request.keyRole = facts === null ? null : this.roleOf(authorizationOf(request));
    const problem = keyProblem(request.keyRole, facts?.changes ?? true, this.roleOf);
    if (problem !== null) throw problem;
    return true;
  }
}
