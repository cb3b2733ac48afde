import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api-error';
import { errorBody } from './envelope';
import type { ErrorType } from './error-types';
import { RouteMethods } from './route-methods';

/** What the framework throws by itself, by its status. Another 4xx is a request it cannot use; the rest is a bug: 500. */
const errorTypeOfStatus: Readonly<Record<number, ErrorType>> = {
  400: 'validation_error',
  // Static files outside of their folder: the answer does not say what is there.
  403: 'not_found',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

/** The last word on every failure: the error envelope, with nothing in it that is not the caller's business. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  constructor(
    private readonly routes: RouteMethods,
    /** What an unknown route answers, in words. */
    private readonly notFoundMessage: (request: FastifyRequest) => string = (request) =>
      `no route ${request.method} ${pathOf(request)}`,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error = this.apiErrorOf(thrown, request);
    if (error.errorType === 'internal_error') {
      this.logger.error({ err: thrown, request_id: request.id }, 'a request failed by a bug');
    }
    if (reply.sent) return;
    // Fastify types its status codes against a schema that is not in use here.
    // The id again: the router answers some paths without running the hook that stamps it.
    void reply
      .status(error.status)
      .headers({ 'x-request-id': request.id, ...error.headers })
      .send(errorBody(error, request.id));
  }

  private apiErrorOf(thrown: unknown, request: FastifyRequest): ApiError {
    const status = statusOf(thrown);
    // Where there is no route, what is wrong with the body or its type does not matter.
    if (request.is404 && status !== undefined && status < 500) return this.unknownRoute(request);
    if (thrown instanceof ApiError) return thrown;
    const errorType = errorTypeOf(status);
    if (errorType === 'not_found') return this.unknownRoute(request);
    if (errorType === undefined) return new ApiError('internal_error', 'internal error', { cause: thrown });
    const message = thrown instanceof Error ? thrown.message : errorType;
    const details = errorType === 'validation_error' ? { details: [{ field: 'body', problem: message }] } : {};
    return new ApiError(errorType, message, { ...details, cause: thrown });
  }

  private unknownRoute(request: FastifyRequest): ApiError {
    const allowed = this.routes.allowed(pathOf(request));
    if (allowed.length === 0 || allowed.includes(request.method))
      return new ApiError('not_found', this.notFoundMessage(request));
    return new ApiError('method_not_allowed', `${request.method} is not allowed here`, {
      headers: { allow: allowed.join(', ') },
    });
  }
}

function errorTypeOf(status: number | undefined): ErrorType | undefined {
  if (status === undefined) return undefined;
  return errorTypeOfStatus[status] ?? (status >= 400 && status < 500 ? 'validation_error' : undefined);
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? request.url;
}

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof ApiError) return thrown.status;
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (thrown instanceof Error && 'statusCode' in thrown && typeof thrown.statusCode === 'number') {
    return thrown.statusCode;
  }
  return undefined;
}
