import { eurusd, TradingGateway } from '../trade-journal/testing/trading-gateway';

describe('closing all positions', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
    await gateway.buy({ magic: 1 });
    await gateway.buy({ magic: 2, symbol: 'GBPUSD' });
    await gateway.post('/order', { ...eurusd, type: 'SELL', magic: 1 });
  });
  afterEach(() => gateway.stop());

  it.each([
    [{}, 3],
    [{ order_type: 'all' }, 3],
    [{ order_type: 'BUY' }, 2],
    [{ order_type: 'SELL' }, 1],
    [{ magic: 1 }, 2],
    [{ symbol: 'GBPUSD' }, 1],
    [{ symbol: 'GBPUSD', magic: 1 }, 0],
  ])('by %j closes %i of three', async (body, count) => {
    const answer = await gateway.post<{ closed: object[]; failed: object[] }>('/close_all_positions', body, 'all');
    expect(answer.status).toBe(200);
    expect(answer.body.closed).toHaveLength(count);
    expect(answer.body.failed).toEqual([]);
    expect(await gateway.rows('/get_positions')).toHaveLength(3 - count);
  });

  it('answers 207 and names what could not be closed, and replays the same answer', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10018, times: 1 });
    const answer = await gateway.post('/close_all_positions', {}, 'all');
    expect(answer).toMatchObject({
      status: 207,
      body: { closed: [{}, {}], failed: [{ kind: 'position', error_type: 'broker_rejected' }] },
    });
    expect(await gateway.post('/close_all_positions', {}, 'all')).toMatchObject({ status: 207, text: answer.text });
    expect(await gateway.rows('/get_positions')).toHaveLength(1);
  });

  it('of a symbol that the broker does not have is refused, and is not the same as one without positions', async () => {
    expect(await gateway.post('/close_all_positions', { symbol: 'eurusd' }, 'all')).toMatchObject({
      status: 404,
      body: { error_type: 'not_found', error: 'the broker has no symbol eurusd; did you mean EURUSD?' },
    });
    expect(await gateway.rows('/get_positions')).toHaveLength(3);
    expect(await gateway.post('/close_all_positions', { symbol: 'USDJPY' })).toMatchObject({ body: { closed: [] } });
  });

  it('works without a body', async () => {
    expect(await gateway.post('/close_all_positions')).toMatchObject({ status: 200, body: { closed: [{}, {}, {}] } });
  });
});

describe('flattening', () => {
  let gateway: TradingGateway;
  beforeEach(async () => {
    gateway = await TradingGateway.start();
    await gateway.buy();
    const { bid } = await gateway.quote();
    await gateway.post('/order', { ...eurusd, type: 'BUY_LIMIT', price: bid - 0.01 });
  });
  afterEach(() => gateway.stop());

  it('cancels and closes all after it halted trading, and writes every send to the audit log', async () => {
    expect(await gateway.post('/kill?flatten=true')).toMatchObject({
      status: 200,
      body: { kill_switch_active: true, flatten: { cancelled: [{}], closed: [{}], failed: [], complete: true } },
    });
    expect(await gateway.rows('/get_positions')).toEqual([]);
    expect(await gateway.rows('/orders')).toEqual([]);
    const events = gateway.audit().map(({ event }) => event);
    expect(events.slice(-5)).toEqual(['kill_engaged', 'intent', 'broker_response', 'intent', 'broker_response']);
  });

  it('reports what is left', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10018 });
    expect(await gateway.post('/kill?flatten=true')).toMatchObject({
      status: 207,
      body: {
        flatten: { complete: false, failed: [{ kind: 'order' }, { kind: 'position', error_type: 'broker_rejected' }] },
      },
    });
  });

  it('closes in a second round what failed in the first', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10004, times: 2 });
    expect((await gateway.post('/kill?flatten=true')).body).toMatchObject({
      flatten: { complete: true, failed: [], cancelled: [{}], closed: [{}] },
    });
  });

  it('never repeats a send that may have been executed', async () => {
    gateway.simulator.faults.set({ kind: 'retcode', retcode: 10012 });
    expect(await gateway.post('/kill?flatten=true')).toMatchObject({ status: 207 });
    expect(gateway.audit().filter(({ event }) => event === 'intent')).toHaveLength(2 + 2);
  });

  it('halts and reports that nothing was flattened while the terminal is unavailable', async () => {
    gateway.simulator.faults.set({ kind: 'disconnected' });
    expect(await gateway.post('/kill?flatten=true')).toMatchObject({
      status: 503,
      body: { error_type: 'terminal_unavailable', kill_switch_active: true },
    });
  });
});
