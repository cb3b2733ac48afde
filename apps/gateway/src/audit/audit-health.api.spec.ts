import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eurusd, TradingGateway } from '../trade-journal/testing/trading-gateway';

const order = { ...eurusd, type: 'BUY' };

describe('an audit log that is moved or deleted while the gateway runs', () => {
  let gateway: TradingGateway;
  let path: string;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
    path = join(gateway.folder, 'order-audit.jsonl');
  });
  afterEach(() => gateway.stop());

  const audit = async () => [(await gateway.get('/health')).body.audit, (await gateway.get('/health/ready')).status];

  it('continues in a new file after a rotation, with the next number', async () => {
    const ticket = await gateway.buy();
    const before = gateway.audit();
    renameSync(path, `${path}.1`);
    expect((await gateway.post('/close_position', { position: ticket })).status).toBe(200);
    const after = gateway.audit();
    expect(after.map(({ event }) => event)).toEqual(['intent', 'broker_response']);
    expect(after[0]?.sequence).toBe(before.length + 1);
    expect(await audit()).toEqual([{ state: 'ok', error: null }, 200]);
  });

  it('is created again within a second, even if nothing is traded', async () => {
    rmSync(path);
    await gateway.until(() => existsSync(path));
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('while it cannot be written, rejects new risk, allows exits and reports it; then writes what is missing', async () => {
    const ticket = await gateway.buy();
    rmSync(path);
    mkdirSync(path);
    await gateway.until(async () => (await audit())[1] === 503);
    expect(await audit()).toEqual([{ state: 'unavailable', error: 'illegal operation on a directory (EISDIR)' }, 503]);
    expect((await gateway.get('/health')).body.status).toBe('degraded');
    expect((await gateway.get('/health/ready')).body.checks).toMatchObject({ audit: { status: 'down' } });
    expect(await gateway.post('/order', order)).toMatchObject({
      status: 503,
      body: { error_type: 'journal_unavailable' },
    });
    expect((await gateway.post('/close_position', { position: ticket })).status).toBe(200);

    rmSync(path, { recursive: true });
    await gateway.until(async () => (await audit())[1] === 200);
    expect(gateway.audit().map(({ event }) => event)).toEqual(['refused', 'intent', 'broker_response']);
    expect((await gateway.post('/order', order)).status).toBe(200);
  });
});

describe('a gateway that stopped', () => {
  it('wrote its logout as the last line of the audit log', async () => {
    const gateway = await TradingGateway.start();
    await gateway.restart(() => {
      const events = gateway.audit().map(({ event }) => event);
      expect([events[0], events.at(-1)]).toEqual(['login', 'logout']);
    });
    await gateway.stop();
  });
});
