import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiError } from '@libs/envelope';
import { authenticated } from '@libs/http-surface';
import type { FastifyRequest } from 'fastify';

const openKey = 'control:open';
/** Injection token of the control surface's credential; undefined when there is none. */
export const CONTROL_TOKEN = Symbol('control token');

/** Marks a route that never needs the credential. */
export const Open = (): MethodDecorator => SetMetadata(openKey, true);

/** Asks every route but the open ones for the credential, once one is set. */
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
    const { headers, raw } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!this.mayAsk(headers.authorization ?? '')) throw credentialRequired();
    authenticated(raw);
    return true;
  }
}

/** Whether an `Authorization` header is the credential's, in constant time; any is while there is no credential. */
export function tokenCheck(token: string | undefined): (authorization: string) => boolean {
  if (token === undefined) return () => true;
  const wanted = digest(`Bearer ${token}`);
  // The scheme's name is case-insensitive (RFC 9110 §11.1), the token is not.
  return (authorization) => timingSafeEqual(digest(authorization.replace(/^bearer /i, 'Bearer ')), wanted);
}

/** The answer to a caller without the credential. */
export function credentialRequired(): ApiError {
  return new ApiError('authentication_error', 'missing or wrong credential', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
