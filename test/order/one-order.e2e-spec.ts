import { GatewayProgram } from '../e2e/programs/gateway-program';
import { Scratch } from '../e2e/programs/scratch';

describe('the built gateway on the simulated broker', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('places an order, shows its position, closes it, and stops without a failure', async () => {
    const gateway = await GatewayProgram.startReady(scratch);
    const opened = await gateway.trade('/order', { symbol: 'EURUSD', volume: 0.1, type: 'BUY' });
    expect([opened.status, opened.body]).toEqual([200, expect.objectContaining({ ok: true, state: 'executed' })]);
    const { order: ticket } = opened.body['result'] as { order: number };

    const { body: open } = await gateway.call('/get_positions');
    expect(open['data']).toEqual([expect.objectContaining({ ticket, symbol: 'EURUSD', volume: 0.1 })]);

    const closed = await gateway.trade('/close_position', { position: { ticket } });
    expect([closed.status, closed.body]).toEqual([200, expect.objectContaining({ ok: true, remaining_volume: 0 })]);
    const { body: after } = await gateway.call('/get_positions');
    expect(after['data']).toEqual([]);
    expect(await gateway.stop()).toBe(0);
  });
});
