import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '@libs/envelope';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { holdsApiKey, type HoldsKey } from './api-key';
import { routeFactsOf } from './route-facts';

/** Checks the API key. Without API_KEY, and on a route that declares no access, it denies every caller. */
@Injectable()
export class BearerGuard implements CanActivate {
  private readonly holdsKey: HoldsKey;

  constructor(@Inject(GATEWAY_SETTINGS) settings: Pick<GatewaySettings, 'API_KEY'>) {
    this.holdsKey = holdsApiKey(settings.API_KEY);
  }

  canActivate(context: ExecutionContext): boolean {
    const facts = routeFactsOf(context.getHandler());
    if (facts?.access === 'public') return true;
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    if (facts !== null && this.holdsKey(headers.authorization)) return true;
    throw bearerRequired();
  }
}

/** Error for a caller without the key. */
export function bearerRequired(): ApiError {
  return new ApiError('authentication_error', 'a valid bearer token is required', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}
