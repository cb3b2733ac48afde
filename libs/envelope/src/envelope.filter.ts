import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api-error';
import { errorBody } from './envelope';
import type { ErrorType } from './error-types';
import { RouteMethods } from './route-methods';

/** Errors of the framework, by status. Any other 4xx is an invalid request; the rest are bugs: 500. */
const errorTypeOfStatus: Readonly<Record<number, ErrorType>> = {
  400: 'validation_error',
  // Static files outside their folder: the answer does not reveal whether they exist.
  403: 'not_found',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

/** Converts every failure to the error envelope, without internal details. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  constructor(
    private readonly routes: RouteMethods,
    /** The error text for an unknown route. */
    private readonly notFoundMessage: (request: FastifyRequest) => string = (request) =>
      `no route ${request.method} ${pathOf(request)}`,
    /** Fields that errors of some routes have in addition to the envelope's own. */
    private readonly fieldsOf: (error: ApiError, request: FastifyRequest) => object = () => ({}),
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error = this.apiErrorOf(thrown, request);
    if (error.errorType === 'internal_error') {
      this.logger.error({ err: thrown, request_id: request.id }, 'internal error in a request');
    }
    if (reply.sent) return;
    // Fastify types its status codes against a schema that is not in use here.
    // Sets the id again, because the router answers some paths without running the hook that sets it.
    void reply
      .status(error.status)
      .headers({ 'x-request-id': request.id, ...error.headers })
      .send({ ...errorBody(error, request.id), ...this.fieldsOf(error, request) });
  }

  private apiErrorOf(thrown: unknown, request: FastifyRequest): ApiError {
    const status = statusOf(thrown);
    // Without a route, errors of the body or its type do not matter.
    if (request.is404 && status !== undefined && status < 500) return this.unknownRoute(request);
    if (thrown instanceof ApiError) return thrown;
    const errorType = errorTypeOf(status);
    if (errorType === 'not_found') return this.unknownRoute(request);
    if (errorType === undefined) return new ApiError('internal_error', 'internal error', { cause: thrown });
    const message = textOf(errorType, thrown, request);
    const field = hasNoBody.has(request.method) ? 'path' : 'body';
    const details = errorType === 'validation_error' ? { details: [{ field, problem: message }] } : {};
    return new ApiError(errorType, message, { ...details, cause: thrown });
  }

  private unknownRoute(request: FastifyRequest): ApiError {
    const allowed = this.routes.allowed(pathOf(request));
    if (allowed.length === 0 || allowed.includes(request.method))
      // So that a client does not take a wrong address for the absence of what it asks for.
      return new ApiError('not_found', this.notFoundMessage(request), { details: { reason: 'no_route' } });
    return new ApiError('method_not_allowed', `${request.method} is not allowed here; allowed: ${allowed.join(', ')}`, {
      headers: { allow: allowed.join(', ') },
    });
  }
}

/** Methods whose framework errors are about the path. */
const hasNoBody: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The text of a framework error; where its own does not say what is wanted, another one. */
function textOf(errorType: ErrorType, thrown: unknown, { headers, routeOptions }: FastifyRequest): string {
  switch (errorType) {
    case 'unsupported_media_type':
      return `the body must be JSON: send Content-Type: application/json, not ${headers['content-type']?.slice(0, 64) ?? 'none'}`;
    case 'payload_too_large':
      return `the body is too large: at most ${Math.floor(routeOptions.bodyLimit / 1_024)} KiB`;
    default:
      return thrown instanceof Error ? thrown.message : errorType;
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
