import { Scratch } from '../e2e/programs/scratch';
import { swingingMarket } from '../e2e/programs/markets';
import { DrillRig, holdOne } from '../e2e/daemon/drill-rig';

/**
 * One pending order or position at most. The market swings between 1.1000 and 1.1030: what is placed near the top is filled near
 * the bottom, at least 22 minutes of the market later.
 */
const waitBelow = `if (trade.warmingUp || trade.inFlight + trade.positions().length + trade.orders().length > 0) return;
  const quote = trade.quote('main');
  if (quote && quote.bid > 1.1025) trade.buy('main', { kind: 'limit', price: 1.1003, volume: 0.1 });`;
const protectedOne = `if (trade.warmingUp || trade.inFlight + trade.positions().length > 0) return;
  const quote = trade.quote('main');
  if (quote) trade.buy('main', { volume: 0.1, sl: Number((quote.bid - 0.0004).toFixed(5)) });`;

describe('what happens to a position without its strategy', () => {
  const scratch = new Scratch();
  let rig: DrillRig;
  beforeEach(async () => (rig = await DrillRig.start(scratch, swingingMarket(scratch.folder()))));
  afterEach(() => scratch.clear());

  /** From here on nothing new is opened, so that what is there can be compared. */
  const halt = () => rig.gateway.call('/kill', { method: 'POST' });

  it('is booked when it is closed by hand, in part and then whole', async () => {
    const daemon = await rig.daemon([{ name: 'probe', module: rig.module(holdOne) }]);
    await daemon.untilStatus('probe', ({ positions }) => positions.length === 1);
    const [position] = await rig.positions();
    const part = await rig.gateway.trade('/position_close_partial', { ticket: position?.ticket, volume: 0.04 });
    expect(part.status).toBe(200);
    const reduced = await daemon.untilStatus('probe', ({ trades }) => trades === 2);
    expect(reduced.positions).toMatchObject([{ ticket: position?.ticket, volume: 0.06 }]);
    expect(reduced.realized).toBeCloseTo((await rig.balance()) - 10_000, 6);
    await rig.gateway.trade('/close_position', { position: { ticket: position?.ticket } });
    // The strategy finds itself flat, and enters anew: one deal out, one in.
    const again = await daemon.untilStatus('probe', ({ trades, positions }) => trades === 4 && positions.length === 1);
    expect(again.positions[0]?.ticket).not.toBe(position?.ticket);
    expect(again).toMatchObject({ halted: false, orders: { rejected: 0, unknown: 0 } });
    expect(again.realized).toBeCloseTo((await rig.balance()) - 10_000, 6);
  });

  it('is booked when its stop loss was hit while the daemon was away', async () => {
    const strategies = [{ name: 'probe', module: rig.module(protectedOne) }];
    let daemon = await rig.daemon(strategies);
    await daemon.untilStatus('probe', ({ positions }) => positions.length === 1);
    await daemon.kill();
    await halt();
    await rig.gateway.until('/positions_total', ({ body }) => body['total'] === 0);
    daemon = await rig.daemon(strategies);
    const status = await daemon.untilStatus('probe', ({ trades, state }) => trades % 2 === 0 && state === 'running');
    expect(status).toMatchObject({ positions: [], halted: false, lastTrade: { side: 'sell' } });
    expect(status.realized).toBeCloseTo((await rig.balance()) - 10_000, 6);
  });

  it('is the strategy’s when its pending order was filled while the daemon was away', async () => {
    const strategies = [{ name: 'probe', module: rig.module(waitBelow) }];
    let daemon = await rig.daemon(strategies);
    const placed = await daemon.untilStatus('probe', ({ pendingOrders }) => pendingOrders.length === 1);
    await daemon.kill();
    await halt();
    await rig.gateway.until('/positions_total', ({ body }) => body['total'] === 1);
    daemon = await rig.daemon(strategies);
    // The row is seen a moment before the deal is booked.
    const status = await daemon.untilStatus('probe', ({ trades }) => trades === 1);
    const [position] = await rig.positions();
    expect(status).toMatchObject({ pendingOrders: [], halted: false, positions: [{ volume: 0.1 }] });
    expect(status.positions[0]?.ticket).toBe(position?.ticket);
    expect(placed.pendingOrders[0]?.ticket).toBe(position?.ticket);
  });
});
