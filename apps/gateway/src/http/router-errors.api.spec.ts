import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pino from 'pino';
import { createGateway } from '../gateway.app';
import { readGatewaySettings } from '../gateway.config';
import { removeFolder, testKey } from '../testing/gateway-under-test';

describe('a path that the router cannot parse', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  let app: NestFastifyApplication;
  afterEach(() => app.close());
  afterAll(() => removeFolder(folder));

  it.each([
    ['a bad escape', '/symbol_info_tick/%zz', 400],
    ['a part that is too long', `/symbol_info_tick/${'A'.repeat(20_000)}`, 404],
  ])('with %s is in the access log and the metrics', async (_case, url, status) => {
    const lines: string[] = [];
    const log = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        lines.push(chunk.toString());
        done();
      },
    });
    const settings = readGatewaySettings({
      API_KEY: testKey,
      ORDER_AUDIT_FILE: join(folder, 'order-audit.jsonl'),
      KILL_SWITCH_FILE: join(folder, 'kill-switch'),
      STATE_DIR: join(folder, 'state'),
      SHUTDOWN_DRAIN_SECONDS: '0',
    });
    app = await createGateway(settings, pino({ level: 'debug' }, log));
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    const answer = await app.inject({ url: `${url}?password=secret`, headers: { 'x-request-id': 'r-1' } });
    expect(answer.statusCode).toBe(status);
    const access = lines.filter((line) => line.includes('"context":"access"'));
    expect(access.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ request_id: 'r-1', method: 'GET', path: url, status }),
    ]);
    const page = await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${testKey}` } });
    expect(page.body).toContain(
      `http_request_duration_seconds_count{method="GET",route="unknown",status="${status}"} 1`,
    );
  });
});
