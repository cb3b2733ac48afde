import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, validationError } from '@libs/envelope';
import { earlyAnswer, type EarlyHeaders } from './early-answer';

/** Observers that are called once an answer is sent. */
export type AnswerObserver = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * For Fastify's `frameworkErrors`: answers the router's errors in the envelope. No hook runs for these answers; the
 * observers replace `onResponse`.
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
      return validationError({ field: 'path', problem: 'contains an invalid percent-encoding' });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      // Symbols, tickets, keys and names are shorter.
      return new ApiError('not_found', 'not found: a path segment is too long');
    default:
      return new ApiError('internal_error', 'internal error');
  }
}
