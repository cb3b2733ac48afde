import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
    expect(await audit()).toEqual([{ state: 'ok', error: null, missing: null }, 200]);
  });

  it('is created again within a second, even if nothing is traded', async () => {
    rmSync(path);
    await gateway.until(() => existsSync(path));
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  const verified = async () => (await gateway.get('/audit/verification')).body;

  it('is consistent after a rotation, also once the gateway was restarted', async () => {
    await gateway.buy();
    renameSync(path, `${path}.1`);
    await gateway.until(() => existsSync(path));
    expect(await verified()).toMatchObject({ consistent: true, problems: [] });
    await gateway.buy();
    await gateway.restart();
    expect(await verified()).toMatchObject({ consistent: true, problems: [] });
    expect((await gateway.get('/health')).body.audit).toMatchObject({ missing: null });
  });

  it.each([
    ['removed', () => rmSync(path), 0],
    ['shortened', () => writeFileSync(path, `${JSON.stringify(gateway.audit()[0])}\n`), 1],
  ])('is named as a problem after it was %s while the gateway was stopped', async (_how, damage, left) => {
    await gateway.post('/order', order, 'k');
    await gateway.restart(damage);
    expect((await gateway.get('/health')).body.audit).toMatchObject({
      missing: expect.stringMatching(new RegExp(`^lines ${left + 1} to \\d+ were written`)),
    });
    expect(await verified()).toMatchObject({ consistent: false });
    expect((await gateway.get('/trade_requests/k/audit')).body).toMatchObject({ complete: false });
  });

  it('is named as a problem after it was removed while the gateway runs', async () => {
    await gateway.post('/order', order, 'k');
    const last = gateway.audit().at(-1)?.sequence ?? 0;
    rmSync(path);
    await gateway.until(() => existsSync(path));
    expect((await gateway.get('/health')).body.audit).toMatchObject({
      missing: `lines 1 to ${last} were written and can be read in no file of the log`,
    });
    expect(await verified()).toMatchObject({
      consistent: false,
      problems: [expect.stringContaining(`${last} was written`)],
    });
    await gateway.buy();
    expect(await verified()).toMatchObject({
      consistent: false,
      problems: [`line 1: the log begins with sequence ${last + 1}, and no rotated file beside it ends with ${last}`],
    });
    expect((await gateway.get('/trade_requests/k/audit')).body).toMatchObject({ lines: [], complete: false });
  });

  it('while it cannot be written, rejects new risk, allows exits and reports it; then writes what is missing', async () => {
    const ticket = await gateway.buy();
    rmSync(path);
    mkdirSync(path);
    await gateway.until(async () => (await audit())[1] === 503);
    expect(await audit()).toMatchObject([
      { state: 'unavailable', error: 'illegal operation on a directory (EISDIR)' },
      503,
    ]);
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
