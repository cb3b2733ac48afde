import {
  Body,
  Controller,
  ForbiddenException,
  Get,
  HttpCode,
  HttpException,
  Module,
  NotFoundException,
  Param,
  Post,
} from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiError } from './api-error';
import { EnvelopeFilter } from './envelope.filter';
import { errorTypes, statusOfErrorType } from './error-types';
import { requestIdOf, stampRequestIds } from './request-id';
import { RouteMethods } from './route-methods';

@Controller()
class Shop {
  @Get('thing/:id')
  thing(@Param('id') id: string): object {
    if (id === 'crash') throw new Error('secret path /etc/passwd');
    throw new ApiError('reconnect_cooldown', 'wait', {
      headers: { 'retry-after': '7' },
      details: { left: 7 },
      terminalError: { code: -10004, message: 'No IPC connection' },
    });
  }

  @Get('files/*')
  file(@Param('*') path: string): never {
    if (path === 'forbidden') throw new ForbiddenException();
    if (path === 'teapot') throw new HttpException('short and stout', 418);
    throw new NotFoundException();
  }

  @Post('orders')
  @HttpCode(200)
  order(
    @Body()
    order: object,
  ): object {
    return order;
  }
}

const routes = new RouteMethods();

@Module({ controllers: [Shop], providers: [{ provide: APP_FILTER, useValue: new EnvelopeFilter(routes) }] })
class ShopModule {}

describe('every failure answers in the envelope', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const adapter = new FastifyAdapter({ genReqId: requestIdOf, requestIdHeader: false, bodyLimit: 1_024 });
    app = await NestFactory.create<NestFastifyApplication>(ShopModule, adapter, { logger: false });
    routes.watch(adapter.getInstance());
    stampRequestIds(adapter.getInstance());
    await app.init();
    await adapter.getInstance().ready();
  });
  afterAll(() => app.close());

  it('an ApiError, with its details, headers and the error of the terminal', async () => {
    const response = await app.inject({ url: '/thing/1', headers: { 'x-request-id': 'req-1' } });
    expect(response.statusCode).toBe(503);
    expect(response.headers).toMatchObject({ 'retry-after': '7', 'x-request-id': 'req-1' });
    expect(response.json()).toEqual({
      ok: false,
      error: 'wait',
      error_type: 'reconnect_cooldown',
      details: { left: 7 },
      request_id: 'req-1',
      terminal_error: { code: -10004, message: 'No IPC connection' },
    });
  });

  it('a crash, without any detail of the cause', async () => {
    const response = await app.inject('/thing/crash');
    expect(response.statusCode).toBe(500);
    expect(response.json()).toMatchObject({ ok: false, error: 'internal error', error_type: 'internal_error' });
    expect(response.body).not.toContain('passwd');
  });

  it('an unknown route, and a known one with another method', async () => {
    expect((await app.inject('/nothing')).json()).toMatchObject({
      error_type: 'not_found',
      error: 'no route GET /nothing',
      details: { reason: 'no_route' },
    });
    const wrongMethod = await app.inject({ method: 'POST', url: '/thing/1?x=1' });
    expect(wrongMethod.statusCode).toBe(405);
    expect(wrongMethod.headers.allow).toBe('GET, HEAD');
    expect(wrongMethod.json()).toMatchObject({ ok: false, error_type: 'method_not_allowed' });
  });

  it('a path with a trailing slash, or below a wildcard, without a route: 404, never 405', async () => {
    for (const [method, url] of [
      ['GET', '/thing/1/'],
      ['POST', '/orders/'],
      ['GET', '/files/none'],
      ['POST', '/files/none'],
      ['OPTIONS', '/anything'],
    ] as const) {
      const answer = await app.inject({ method, url });
      expect([url, answer.statusCode, answer.headers.allow]).toEqual([url, 404, undefined]);
    }
  });

  it('an unknown route with a body that cannot be read: 404, as without a body', async () => {
    for (const type of ['application/json', 'application/xml']) {
      const headers = { 'content-type': type };
      const answer = await app.inject({ method: 'POST', url: '/nothing', headers, payload: '{' });
      expect([answer.statusCode, answer.json().error_type]).toEqual([404, 'not_found']);
    }
  });

  it('a framework error without an entry of its own: a 4xx of the catalogue, not a bug', async () => {
    const answer = await app.inject('/files/forbidden');
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ ok: false, error_type: 'not_found' });
    expect((await app.inject('/files/teapot')).json()).toMatchObject({ ok: false, error_type: 'validation_error' });
  });

  it.each([
    ['malformed JSON', { 'content-type': 'application/json' }, '{', 400, 'validation_error'],
    ['another content type', { 'content-type': 'application/xml' }, '<a/>', 415, 'unsupported_media_type'],
    ['a body too large', { 'content-type': 'application/json' }, `"${'x'.repeat(2_000)}"`, 413, 'payload_too_large'],
  ])('%s', async (_case, headers, payload, status, errorType) => {
    const response = await app.inject({ method: 'POST', url: '/orders', headers, payload });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({ ok: false, error_type: errorType, request_id: expect.any(String) });
  });
});

describe('the request id', () => {
  it.each([
    ['kept if it is short and safe', 'abc.DEF_1-2', 'abc.DEF_1-2'],
    ['replaced if it is too long', 'x'.repeat(65), expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ['replaced if it could break a log line', 'a b', expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ['generated if there is none', undefined, expect.stringMatching(/^[0-9a-f-]{36}$/)],
  ])('is %s', (_case, given, expected) => {
    expect(requestIdOf({ headers: given === undefined ? {} : { 'x-request-id': given } })).toEqual(expected);
  });
});

describe('the catalogue', () => {
  it('never gives a definite rejection a status that means "may have executed", nor the reverse', () => {
    const mayHaveExecuted = new Set([
      'unknown_outcome',
      'internal_error',
      'idempotency_conflict',
      'idempotency_in_progress',
    ]);
    const neverSent = new Set([
      'terminal_unavailable',
      'account_not_synchronized',
      'reconnect_cooldown',
      'not_ready',
      'journal_unavailable',
      'kill_switch_file_error',
      'journal_lost',
    ] as const);
    // Answers of PUT /fences, never of a trade request.
    const ofFences = ['fence_conflict', 'fence_pending'];
    const ambiguous = errorTypes.filter((type) => statusOfErrorType[type] === 409 || statusOfErrorType[type] >= 500);
    expect(new Set(ambiguous)).toEqual(new Set([...mayHaveExecuted, ...neverSent, ...ofFences]));
    for (const type of neverSent) expect([type, statusOfErrorType[type]]).toEqual([type, 503]);
  });
});
