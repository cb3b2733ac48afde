import { Writable } from 'node:stream';
import Fastify from 'fastify';
import { requestIdOf } from '@libs/envelope';
import { gatewayLogger } from './gateway.logger';
import { logAccess } from './http/http-hooks';

type Line = Readonly<Record<string, unknown>>;

function logged(level: 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' | 'CRITICAL') {
  const lines: Line[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Line);
      done();
    },
  });
  return { lines, logger: gatewayLogger({ LOG_LEVEL: level }, destination) };
}

describe('the log of the gateway', () => {
  it.each([
    ['DEBUG', ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL']],
    ['INFO', ['INFO', 'WARNING', 'ERROR', 'CRITICAL']],
    ['WARNING', ['WARNING', 'ERROR', 'CRITICAL']],
    ['ERROR', ['ERROR', 'CRITICAL']],
    ['CRITICAL', ['CRITICAL']],
  ] as const)('at %s has the levels of the specification', (level, expected) => {
    const { lines, logger } = logged(level);
    for (const write of ['debug', 'info', 'warn', 'error', 'fatal'] as const) logger[write]('x');
    expect(lines.map((line) => line['level'])).toEqual(expected);
  });

  it('censors secrets wherever they are logged by their names', () => {
    const { lines, logger } = logged('INFO');
    logger.info(
      { password: 'p1', headers: { authorization: 'Bearer p2' }, bridge: { token: 'p3' }, api_key: 'p4' },
      'x',
    );
    expect(JSON.stringify(lines)).not.toMatch(/p1|p2|p3|p4/);
    expect(lines[0]).toMatchObject({ password: '[redacted]', headers: { authorization: '[redacted]' } });
    logger.info({ api_key: 'next' }, 'the role of a key');
    expect(lines[1]).toMatchObject({ api_key: 'next' });
  });

  it('logs each request by id, reads at DEBUG, mutations at INFO, internal failures at WARNING, without query or body', async () => {
    const { lines, logger } = logged('DEBUG');
    const server = Fastify({ genReqId: requestIdOf });
    logAccess(server, logger);
    server.get('/read', () => ({}));
    server.post('/change', () => ({}));
    server.get('/failure', (_request, reply) => reply.status(503).send({}));
    const headers = { 'x-request-id': 'r-1', authorization: 'Bearer hidden' };
    await server.inject({ url: '/read?secret=hidden', headers });
    await server.inject({ method: 'POST', url: '/change', headers, payload: { volume: 'hidden' } });
    await server.inject({ url: '/failure', headers });
    expect(lines.map(({ level, path, request_id, status }) => [level, path, request_id, status])).toEqual([
      ['DEBUG', '/read', 'r-1', 200],
      ['INFO', '/change', 'r-1', 200],
      ['WARNING', '/failure', 'r-1', 503],
    ]);
    expect(JSON.stringify(lines)).not.toContain('hidden');
    await server.close();
  });

  it.each([
    ['/signals/trend/hidden', '/signals/trend/...'],
    ['//signals//trend//hidden/more', '//signals//trend//...'],
    ['/%73ignal%53/trend/hidden?x=1', '/signalS/trend/...'],
    ['/signals/trend%2fhidden', '/signals/trend/...'],
    ['/%73ignals/trend/hidden%', '/signals/trend/...'],
    ['/signals/trend?secret=hidden', '/signals/trend'],
    ['/orders/5', '/orders/5'],
  ])('logs %s as %s', async (url, path) => {
    const { lines, logger } = logged('DEBUG');
    const server = Fastify({ genReqId: requestIdOf });
    logAccess(server, logger);
    server.setNotFoundHandler((_request, reply) => reply.send({}));
    await server.inject({ method: 'POST', url });
    expect(lines.map((line) => line['path'])).toEqual(url.endsWith('%') ? [] : [path]);
    expect(JSON.stringify(lines)).not.toContain('hidden');
    await server.close();
  });
});
