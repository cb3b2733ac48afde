import { Clockwork } from '../testing/clockwork';
import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';

const [requote, invalidStops, marketClosed] = [10004, 10016, 10018];

describe('an exit that the broker refuses', () => {
  let gateway: ContractGateway;
  let time: Clockwork;
  let rig: DeskRig;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    time = new Clockwork();
    rig = await DeskRig.start(gateway, { clock: time.clock });
    await inTime(rig.buy());
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  const ticket = () => Number(gateway.positions[0]?.['ticket']);
  const closes = () => gateway.sends.filter(({ path }) => path === '/close_position');
  const inTime = (done: Promise<unknown>): Promise<unknown> => time.inTime(done);
  const settled = (): Promise<void> => time.until(() => rig.desk.inFlight === 0);

  it('for a reason that passes is sent again under a new key until it is executed, and is not reported before', async () => {
    gateway.refusal = { path: '/close_position', retcode: requote, times: 3 };
    await inTime(rig.close(ticket()));
    expect(rig.desk.inFlight).toBe(1);
    await settled();
    expect(gateway.positions).toEqual([]);
    expect(rig.rejects).toEqual([]);
    expect(closes()).toHaveLength(4);
    expect(new Set(closes().map(({ key }) => key)).size).toBe(4);
    expect(rig.fills).toMatchObject([{ entry: 'in' }, { entry: 'out', intentId: 'c1' }]);
    expect(rig.desk.counts).toMatchObject({ retried: 3, rejected: 0 });
    // The latency of a signal does not include the waits before retries.
    expect(rig.latency.snapshotOf('ema')).toMatchObject({ signal_to_submission: { count: 2 } });
  });

  it('for too long is rejected, and stays a problem until the position is closed', async () => {
    gateway.refusal = { path: '/close_position', retcode: marketClosed, times: 100 };
    await inTime(rig.close(ticket()));
    await settled();
    expect(closes()).toHaveLength(11);
    expect(rig.rejects).toMatchObject([{ intentId: 'c1', kind: 'rejected', retcode: marketClosed }]);
    expect(rig.desk.problem).toContain(`position ${ticket()} could not be closed`);
    gateway.closeAtBroker(ticket(), 0, 1);
    await inTime(rig.sync.now());
    expect(rig.desk.problem).toBeNull();
  });

  it('is not sent again once the position is closed otherwise, or a newer exit supersedes it', async () => {
    gateway.refusal = { path: '/close_position', retcode: requote, times: 1 };
    await inTime(rig.close(ticket(), 0.05));
    await inTime(rig.close(ticket(), null, 'c2'));
    await settled();
    expect(closes().map(({ body }) => body['position'])).toMatchObject([
      { volume: 0.05 },
      { ticket: expect.any(Number) },
    ]);
    expect(rig.rejects).toMatchObject([{ intentId: 'c1' }]);
    expect(gateway.positions).toEqual([]);
  });

  it('is not sent again for more than is still held', async () => {
    gateway.refusal = { path: '/close_position', retcode: requote, times: 1 };
    await inTime(rig.close(ticket(), 0.05));
    await rig.session.client.closePosition({ position: { ticket: ticket(), volume: 0.07 } }, 'by-hand');
    await inTime(rig.sync.now());
    await settled();
    expect(gateway.positions).toMatchObject([{ volume: 0.03 }]);
    expect(closes().filter(({ key }) => key !== 'by-hand')).toHaveLength(1);
    expect(rig.rejects).toMatchObject([{ intentId: 'c1', kind: 'rejected', retcode: requote }]);
  });

  it('for a reason that does not pass is rejected at once', async () => {
    gateway.refusal = { path: '/close_position', retcode: invalidStops, times: 1 };
    await inTime(rig.close(ticket()));
    expect(rig.rejects).toMatchObject([{ intentId: 'c1', retcode: invalidStops }]);
    expect(rig.desk.problem).not.toBeNull();
    await inTime(rig.close(ticket()));
    expect(rig.desk.problem).toBeNull();
  });

  it('is never an entry', async () => {
    gateway.refusal = { path: '/order', retcode: requote, times: 1 };
    await rig.sync.now();
    await inTime(rig.buy(0.1, 'i2'));
    expect(rig.rejects).toMatchObject([{ intentId: 'i2', retcode: requote }]);
    expect(rig.desk.counts.retried).toBe(0);
  });
});
