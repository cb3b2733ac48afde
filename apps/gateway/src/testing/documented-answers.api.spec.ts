import type { OpenAPIObject } from '@nestjs/swagger';
import { DocumentedAnswers, type WireAnswer } from './documented-answers';
import { gatewayUnderTest, removeFolder, type GatewayUnderTest } from './gateway-under-test';

/** The suites compare every answer with the document; these cases prove that the comparison finds differences. */
describe('an answer that the OpenAPI document does not describe', () => {
  let gateway: GatewayUnderTest;
  let documented: DocumentedAnswers;
  beforeAll(async () => {
    gateway = await gatewayUnderTest();
    documented = new DocumentedAnswers((await gateway.app.inject('/apidocs/openapi.json')).json<OpenAPIObject>());
  });
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  const json = 'application/json; charset=utf-8';
  const problems = (body: object, more: Partial<WireAnswer> = {}): string[] =>
    documented.problems({
      ...{ method: 'GET', url: '/positions_total?x=1', status: 200, contentType: json },
      ...{ text: JSON.stringify(body), ...more },
    });
  const error = (error_type: string) => ({ ok: false, error: 'words', error_type, request_id: 'r' });

  it('is distinguished from one that it describes', () => {
    expect(problems({ ok: true, total: 3 })).toEqual([]);
    expect(problems(error('terminal_unavailable'), { status: 503 })).toEqual([]);
    expect(problems(error('not_found'), { url: '/nowhere', status: 404 })).toEqual([]);
  });

  it('has an error type that is not listed for the status of the route', () => {
    expect(problems(error('not_ready'), { status: 503 })).toEqual([
      'GET /positions_total 503: the error type not_ready is not documented for this status of the route',
    ]);
    expect(problems(error('kill_switch_active'), { status: 423 })).toHaveLength(1);
    expect(problems(error('brand_new'), { url: '/nowhere', status: 418 })).not.toEqual([]);
  });

  it('has an error of the connection with another status, or a 405 for a method that the path supports', () => {
    expect(problems(error('request_timeout'), { status: 408 })).toEqual([]);
    expect(problems(error('too_many_requests'), { status: 429 })).toEqual([]);
    expect(problems(error('headers_too_large'), { status: 431 })).toEqual([]);
    expect(problems(error('request_timeout'), { status: 418 })).toHaveLength(1);
    expect(problems(error('method_not_allowed'), { status: 405 })).toHaveLength(1);
    expect(problems(error('request_timeout'), { status: 202 })).toHaveLength(1);
  });

  it('has a null, a fraction or a field that the schema does not allow, or lacks one', () => {
    const bodies = [{ ok: true, total: null }, { ok: true, total: 0.5 }, { ok: true, total: 1, more: 1 }, { ok: true }];
    expect(bodies.map((body) => problems(body).length)).toEqual([1, 2, 1, 1]);
    expect(problems({ ok: false, error: 'words', error_type: 'not_found' }, { url: '/nowhere', status: 404 })).toEqual([
      expect.stringContaining('request_id'),
    ]);
  });

  it('has another content type, or is not JSON', () => {
    expect(problems({ ok: true, total: 3 }, { contentType: 'text/plain' })).toHaveLength(1);
    expect(problems({}, { text: '{' })).toEqual(['GET /positions_total 200: the body is not JSON']);
  });
});
