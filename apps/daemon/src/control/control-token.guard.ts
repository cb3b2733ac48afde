import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiError } from '@libs/envelope';
import type { FastifyRequest } from 'fastify';

const openKey = 'control:open';
/** Injection token of the control surface's credential; undefined if none is set. */
export const CONTROL_TOKEN = Symbol('control token');

/** Marks a route that does not require the credential. */
export const Open = (): MethodDecorator => SetMetadata(openKey, true);

/** Requires the credential, if one is set, on every route that is not open. */
@Injectable()
export class ControlTokenGuard implements CanActivate {
  private readonly mayAsk: (authorization: string) => boolean;

  constructor(
    @Inject(CONTROL_TOKEN) token: string | undefined,
    private readonly reflector: Reflector,
  ) {
    this.mayAsk = tokenCheck(token);
  }

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.get<boolean | undefined>(openKey, context.getHandler())) return true;
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!this.mayAsk(headers.authorization ?? '')) throw credentialRequired();
    return true;
  }
}

/**
 * Compares an `Authorization` header with the credential in constant time; any header passes if no credential is set.
 */
export function tokenCheck(token: string | undefined): (authorization: string) => boolean {
  if (token === undefined) return () => true;
  const wanted = digest(`Bearer ${token}`);
  // The scheme's name is case-insensitive (RFC 9110 §11.1), the token is not.
  return (authorization) => timingSafeEqual(digest(authorization.replace(/^bearer /i, 'Bearer ')), wanted);
}

/** Error for a caller without the credential. */
export function credentialRequired(): ApiError {
  return new ApiError('authentication_error', 'missing or wrong credential', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
