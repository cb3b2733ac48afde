import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, validationError } from '@libs/envelope';
import { earlyAnswer, type EarlyHeaders } from './early-answer';

/** What hears of an answer once it is sent. */
export type AnswerObserver = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * For Fastify's `frameworkErrors`: what its router refuses, in the envelope. No hook runs for these answers; the
 * observers stand in for `onResponse`.
 */
export function answerFrameworkErrors(early: EarlyHeaders, observers: readonly AnswerObserver[]) {
  return ({ code }: { readonly code: string }, request: FastifyRequest, reply: FastifyReply): void => {
    const { status, headers, body } = earlyAnswer(routerError(code), request.headers, early);
    reply.raw.once('finish', () => {
      for (const observe of observers) observe(request, reply);
    });
    void reply.status(status).headers(headers).send(body);
  };
}

function routerError(code: string): ApiError {
  switch (code) {
    case 'FST_ERR_BAD_URL':
      return validationError({ field: 'path', problem: 'has a percent sign that does not begin a valid escape' });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      // No symbol, ticket, key or name is this long.
      return new ApiError('not_found', 'not found: a part of the path is too long');
    default:
      return new ApiError('internal_error', 'internal error');
  }
}
