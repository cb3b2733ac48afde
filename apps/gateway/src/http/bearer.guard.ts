import { hash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '@libs/envelope';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { routeFactsOf } from './route-facts';

/**
 * May this caller call this route at all? Digests are compared, so that the time taken tells nothing about the key.
 * Without API_KEY, and on a route that declares no access, nobody may.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  private readonly expected: Buffer | null;

  constructor(@Inject(GATEWAY_SETTINGS) settings: Pick<GatewaySettings, 'API_KEY'>) {
    this.expected = settings.API_KEY ? digest(`Bearer ${settings.API_KEY}`) : null;
  }

  canActivate(context: ExecutionContext): boolean {
    const facts = routeFactsOf(context.getHandler());
    if (facts?.access === 'public') return true;
    const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    if (facts !== null && this.holdsKey(authorization)) return true;
    throw new ApiError('authentication_error', 'a valid bearer token is required', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }

  private holdsKey(authorization: string | undefined): boolean {
    return (
      this.expected !== null &&
      authorization !== undefined &&
      timingSafeEqual(digest(withScheme(authorization)), this.expected)
    );
  }
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** The scheme's name is case-insensitive (RFC 9110 §11.1), the key is not. */
function withScheme(authorization: string): string {
  return authorization.replace(/^bearer /i, 'Bearer ');
}
