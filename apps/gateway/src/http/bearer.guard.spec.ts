import { Controller, Get, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { EnvelopeFilter, RouteMethods } from '@libs/envelope';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { BearerGuard } from './bearer.guard';
import { declareRoute } from './route-facts';

const facts = {
  changes: false,
  terminal: false,
  ofAccount: false,
  killGated: false,
  addsRisk: false,
  idempotent: false,
};

@Controller()
class Shop {
  @Get('open')
  @declareRoute({ access: 'public', ...facts })
  open(): object {
    return { ok: true };
  }

  @Get('locked')
  @declareRoute({ access: 'bearer', ...facts })
  locked(): object {
    return { ok: true };
  }

  @Get('changed')
  @declareRoute({ access: 'bearer', ...facts, changes: true })
  changed(): object {
    return { ok: true };
  }

  @Get('undeclared')
  undeclared(): object {
    return { ok: true };
  }
}

async function shop(apiKey: string | undefined, more: Partial<GatewaySettings> = {}): Promise<NestFastifyApplication> {
  @Module({
    controllers: [Shop],
    providers: [
      { provide: GATEWAY_SETTINGS, useValue: { API_KEY: apiKey, ...more } },
      { provide: APP_GUARD, useClass: BearerGuard },
      { provide: APP_FILTER, useValue: new EnvelopeFilter(new RouteMethods()) },
    ],
  })
  class ShopModule {}
  const app = await NestFactory.create<NestFastifyApplication>(ShopModule, new FastifyAdapter(), { logger: false });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
}

describe('the bearer guard', () => {
  it.each([
    ['the key', 'Bearer right', 200],
    ['the key, with the scheme in another case', 'bearer right', 200],
    ['another key', 'Bearer wrong', 401],
    ['a key that only begins right', 'Bearer rightly', 401],
    ['a key that is cut short', 'Bearer righ', 401],
    ['a header of many bytes', `Bearer right${'t'.repeat(5_000)}`, 401],
    ['the key in another case', 'Bearer RIGHT', 401],
    ['the key without its scheme', 'right', 401],
    ['another scheme', 'Basic right', 401],
    ['nothing', undefined, 401],
  ])('answers %s', async (_case, authorization, status) => {
    const app = await shop('right');
    const headers = authorization === undefined ? {} : { authorization };
    const response = await app.inject({ url: '/locked', headers });
    expect(response.statusCode).toBe(status);
    expect(response.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
    expect(response.json().error_type).toBe(status === 401 ? 'authentication_error' : undefined);
    expect((await app.inject({ url: '/open', headers })).statusCode).toBe(200);
    await app.close();
  });

  it('rejects every request while no key is set', async () => {
    const app = await shop(undefined);
    for (const authorization of ['Bearer ', 'Bearer undefined', 'Bearer right']) {
      expect((await app.inject({ url: '/locked', headers: { authorization } })).statusCode).toBe(401);
    }
    expect((await app.inject('/open')).statusCode).toBe(200);
    await app.close();
  });

  it('denies a route that declares no access, even with the key', async () => {
    const app = await shop('right');
    const response = await app.inject({ url: '/undeclared', headers: { authorization: 'Bearer right' } });
    expect(response.statusCode).toBe(401);
    await app.close();
  });

  it('permits every valid key what its role permits', async () => {
    const app = await shop('right', { API_KEY_NEXT: 'later', API_KEY_READONLY: 'reading' });
    const status = async (url: string, key: string): Promise<number> =>
      (await app.inject({ url, headers: { authorization: `Bearer ${key}` } })).statusCode;
    for (const key of ['right', 'later']) {
      expect([await status('/locked', key), await status('/changed', key)]).toEqual([200, 200]);
    }
    expect([await status('/locked', 'reading'), await status('/changed', 'reading')]).toEqual([200, 403]);
    expect(await status('/undeclared', 'reading')).toBe(401);
    expect(await status('/locked', 'readin')).toBe(401);
    await app.close();
  });

  it('accepts no further key without API_KEY', async () => {
    const app = await shop(undefined, { API_KEY_NEXT: 'later', API_KEY_READONLY: 'reading' });
    for (const key of ['later', 'reading']) {
      expect((await app.inject({ url: '/locked', headers: { authorization: `Bearer ${key}` } })).statusCode).toBe(401);
    }
    await app.close();
  });
});
