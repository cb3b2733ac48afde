import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eurusd, TradingGateway } from './testing/trading-gateway';

const order = { ...eurusd, type: 'BUY' };
const tooMuch = { ...order, volume: 101 };

describe('a key whose request was refused before its send', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start({ IDEMPOTENCY_TTL_SECONDS: '120' });
  });
  afterEach(() => gateway.stop());

  it.each<[string, object, number]>([
    ['by a limit', tooMuch, 422],
    ['for its form', { ...order, volume: -1 }, 400],
    ['by the market', { ...order, volume: 0.001 }, 400],
  ])('stays bound to its parameters after a refusal %s, over a restart too', async (_case, refused, status) => {
    expect(await gateway.post('/order', refused, 'k')).toMatchObject({ status });
    expect(await gateway.post('/order', order, 'k')).toMatchObject({
      status: 409,
      body: { error_type: 'idempotency_conflict', details: { key: 'k', route: 'POST /order' } },
    });
    await gateway.restart();
    gateway.clock.jump(-86_400_000);
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 409 });
    expect(await gateway.post('/order', refused, 'k')).toMatchObject({ status });
    expect(await gateway.statusOf('k')).toBeNull();
  });

  it('is checked again with the same parameters', async () => {
    const killSwitch = join(gateway.folder, 'kill-switch');
    writeFileSync(killSwitch, '');
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 423 });
    rmSync(killSwitch);
    expect(await gateway.post('/order', { ...order, volume: 0.2 }, 'k')).toMatchObject({ status: 409 });
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 200 });
  });

  it('is free again once the binding expires', async () => {
    await gateway.post('/order', tooMuch, 'k');
    await gateway.clock.advance(121_000);
    expect(await gateway.post('/order', order, 'k')).toMatchObject({ status: 200 });
  });

  it('can be made void', async () => {
    await gateway.post('/order', tooMuch, 'k');
    expect((await gateway.send('PUT', '/trade_requests/k/void')).body).toMatchObject({ status: 'void' });
    expect(await gateway.post('/order', tooMuch, 'k')).toMatchObject({ status: 422, body: { error_type: 'key_void' } });
  });
});
