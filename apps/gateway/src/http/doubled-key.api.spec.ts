import { request } from 'node:http';
import { gatewayUnderTest, removeFolder, testKey, type GatewayUnderTest } from '../testing/gateway-under-test';

const order = JSON.stringify({ symbol: 'EURUSD', volume: 0.1, type: 'BUY' });

describe('an Idempotency-Key header that a proxy sends twice', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await gatewayUnderTest({ env: { SIM_HOURS: 'always' } });
    await gateway.app.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await gateway.stop();
    removeFolder(gateway.folder);
  });

  /** Over a real connection: `fetch` and `inject` join repeated headers before they are sent. */
  async function status(...keys: string[]): Promise<number | undefined> {
    const url = `${await gateway.app.getUrl()}/order`;
    return new Promise((resolve, reject) => {
      const headers = {
        ...{ authorization: `Bearer ${testKey}`, 'content-type': 'application/json', connection: 'close' },
        'idempotency-key': keys,
      };
      request(url, { method: 'POST', headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      })
        .on('error', reject)
        .end(order);
    });
  }

  it('is one key when both are equal, and 400 when they differ', async () => {
    expect(await status('dup', 'dup')).toBe(200);
    expect(await status('dup')).toBe(200);
    expect(await status('dup', 'other')).toBe(400);
    expect((await gateway.call('/positions_total')).json()).toMatchObject({ total: 1 });
  });
});
