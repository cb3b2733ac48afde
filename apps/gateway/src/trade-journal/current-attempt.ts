import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { TradeAttempt } from './trade-attempt';

const attempts = new WeakMap<object, TradeAttempt>();

/** Binds the journal's attempt to the HTTP request that it was reserved for. */
export function bindAttempt(request: FastifyRequest, attempt: TradeAttempt): void {
  attempts.set(request, attempt);
}

/** The attempt of the current request, under which a trade handler sends. */
export const CurrentAttempt = createParamDecorator((_: unknown, context: ExecutionContext): TradeAttempt => {
  const attempt = attempts.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (!attempt) throw new Error('a trade route without @TradeEndpoint has no attempt');
  return attempt;
});
