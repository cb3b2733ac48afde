import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiError } from '@libs/envelope';
import type { FastifyRequest } from 'fastify';

const openKey = 'control:open';
/** Injection token of the control surface's credential; undefined when there is none. */
export const CONTROL_TOKEN = Symbol('control token');

/** Marks a route that never needs the credential. */
export const Open = (): MethodDecorator => SetMetadata(openKey, true);

/** Asks every route but the open ones for the credential, once one is set. */
@Injectable()
export class ControlTokenGuard implements CanActivate {
  private readonly wanted: Buffer | null;

  constructor(
    @Inject(CONTROL_TOKEN) token: string | undefined,
    private readonly reflector: Reflector,
  ) {
    this.wanted = token === undefined ? null : digest(`Bearer ${token}`);
  }

  canActivate(context: ExecutionContext): boolean {
    if (this.wanted === null || this.reflector.get<boolean | undefined>(openKey, context.getHandler())) return true;
    const { authorization = '' } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    if (timingSafeEqual(digest(authorization), this.wanted)) return true;
    throw new ApiError('authentication_error', 'missing or wrong credential', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
