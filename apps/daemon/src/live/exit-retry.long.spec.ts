import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountMarginMode } from '@libs/trade-constants';
import { Clockwork } from '../testing/clockwork';
import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';

const [requote, invalidStops, marketClosed, closeExists] = [10004, 10016, 10018, 10039];

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

describe('a close that the broker only accepts', () => {
  let gateway: ContractGateway;
  let time: Clockwork;
  let rig: DeskRig;
  let stateDir: string;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    time = new Clockwork();
    stateDir = mkdtempSync(join(tmpdir(), 'rig-'));
    await start();
    await time.inTime(rig.buy());
    gateway.closesToAccept = 1;
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  async function start(): Promise<void> {
    rig = await DeskRig.start(gateway, { clock: time.clock, stateDir });
    await rig.session.verify();
  }
  const ticket = () => Number(gateway.positions[0]?.['ticket']);
  const closeKeys = () => gateway.sends.filter(({ path }) => path === '/close_position').map(({ key }) => key);
  const settled = (): Promise<void> => time.until(() => rig.desk.inFlight === 0);
  /** The daemon ends before the books show anything. */
  async function dies(during: () => Promise<void>): Promise<void> {
    const closing = during();
    rig.stopNow();
    await time.inTime(closing);
    await rig.stop();
  }
  async function startAgain(): Promise<void> {
    await start();
    rig.desk.takeUp(rig.store.openIntents('ema'));
    await settled();
  }

  it('and does not fill is sent again under a new key until it is filled', async () => {
    gateway.closesToAccept = 2;
    await time.inTime(rig.close(ticket()));
    await settled();
    expect(gateway.positions).toEqual([]);
    expect(closeKeys()).toEqual([
      expect.stringMatching(/^[^~]+$/),
      expect.stringMatching(/~1$/),
      expect.stringMatching(/~2$/),
    ]);
    expect(rig.fills).toMatchObject([{ entry: 'in' }, { entry: 'out', intentId: 'c1' }]);
    expect(rig.rejects).toEqual([]);
    expect(rig.desk.counts).toMatchObject({ submitted: 2, retried: 2, rejected: 0 });
  });

  it('and never fills is rejected at last, and stays a problem', async () => {
    gateway.closesToAccept = 100;
    await time.inTime(rig.close(ticket()));
    await settled();
    expect(closeKeys()).toHaveLength(11);
    expect(rig.rejects).toMatchObject([
      { intentId: 'c1', kind: 'rejected', retcode: null, reason: expect.stringContaining('no fill was seen') },
    ]);
    expect(rig.desk.problem).toContain(`position ${ticket()} could not be closed: the broker accepted the close`);
  });

  it('is tried again while the broker has a close order of the position', async () => {
    await time.inTime(rig.close(ticket()));
    gateway.refusal = { path: '/close_position', retcode: closeExists, times: 2 };
    await settled();
    expect([gateway.positions, closeKeys().length, rig.rejects]).toEqual([[], 4, []]);
  });

  it('is done with its fill, and is not sent again', async () => {
    const closing = rig.close(ticket());
    await time.until(() => closeKeys().length === 1);
    gateway.fillAccepted();
    await time.inTime(closing);
    expect([rig.desk.inFlight, closeKeys().length, rig.rejects]).toEqual([0, 1, []]);
    expect(rig.fills).toMatchObject([{ entry: 'in' }, { entry: 'out', intentId: 'c1' }]);
    expect(rig.store.openIntents('ema')).toEqual([]);
  });

  it('is done, and not rejected, if it fills while its retry waits', async () => {
    await time.inTime(rig.close(ticket()));
    gateway.fillAccepted();
    await time.inTime(rig.sync.now());
    await settled();
    expect([closeKeys().length, rig.rejects, rig.desk.problem]).toEqual([1, [], null]);
    expect(rig.desk.counts).toMatchObject({ submitted: 2, rejected: 0 });
    expect(rig.store.openIntents('ema')).toEqual([]);
  });

  it('is done, and not rejected, if it fills before its retry arrives', async () => {
    await time.inTime(rig.close(ticket()));
    gateway.fillAccepted();
    await settled();
    // The gateway has no such position any more: nothing else can be closed.
    expect([closeKeys().length, gateway.positions, rig.rejects, rig.desk.problem]).toEqual([2, [], [], null]);
    expect(rig.fills).toMatchObject([{ entry: 'in' }, { entry: 'out', intentId: 'c1' }]);
  });

  it('is a problem, and is not sent again, if it closes a part', async () => {
    await time.inTime(rig.close(ticket(), 0.04));
    await settled();
    expect(closeKeys()).toHaveLength(1);
    expect(rig.rejects).toMatchObject([{ intentId: 'c1', reason: expect.stringContaining('no fill was seen') }]);
    expect(rig.desk.problem).toContain(`position ${ticket()} could not be closed`);
    gateway.fillAccepted();
    await time.inTime(rig.sync.now());
    expect(rig.fills.at(-1)).toMatchObject({ entry: 'out', intentId: 'c1' });
  });

  it('of a part is done with its fill', async () => {
    const closing = rig.close(ticket(), 0.04);
    await time.until(() => closeKeys().length === 1);
    gateway.fillAccepted();
    await time.inTime(closing);
    expect([rig.desk.inFlight, rig.rejects, rig.desk.problem]).toEqual([0, [], null]);
    expect(rig.book.positions).toMatchObject([{ volume: 0.06 }]);
  });

  it('is not decided while deals are not shown', async () => {
    gateway.hidesDeals = true;
    const closing = rig.close(ticket(), 0.04);
    await time.until(() => closeKeys().length === 1);
    gateway.fillAccepted();
    const untilMs = time.clock.monotonicMs() + 10_000;
    await time.until(() => time.clock.monotonicMs() >= untilMs);
    expect([rig.desk.inFlight, rig.rejects]).toEqual([1, []]);
    gateway.hidesDeals = false;
    await time.inTime(closing);
    expect([rig.desk.inFlight, rig.rejects, rig.desk.problem]).toEqual([0, [], null]);
  });

  it('is not decided while the account cannot be read', async () => {
    const closing = rig.close(ticket(), 0.04);
    await time.until(() => closeKeys().length === 1);
    gateway.fillAccepted();
    Object.assign(gateway.account, { login: 9 });
    const untilMs = time.clock.monotonicMs() + 10_000;
    await time.until(() => time.clock.monotonicMs() >= untilMs);
    expect([rig.desk.inFlight, rig.rejects]).toEqual([1, []]);
    Object.assign(gateway.account, { login: 100_001 });
    await time.inTime(closing);
    expect([rig.desk.inFlight, rig.rejects, rig.desk.problem]).toEqual([0, [], null]);
  });

  it('is a problem when its gateway is removed from the configuration', async () => {
    const closing = rig.close(ticket(), 0.04);
    await time.until(() => closeKeys().length === 1);
    // The last read does not agree with the deals.
    gateway.hidesDeals = true;
    gateway.fillAccepted();
    await time.inTime(rig.sync.now());
    rig.configured = false;
    await time.until(() => rig.desk.inFlight === 0);
    await closing;
    expect(closeKeys()).toHaveLength(1);
    expect(rig.desk.problem).toContain(`position ${ticket()} could not be closed`);
  });

  it('is not sent again on a netting account, where two closes could reverse the position', async () => {
    rig.session.account = null;
    gateway.account['margin_mode'] = AccountMarginMode.RETAIL_NETTING;
    await rig.session.verify();
    await time.inTime(rig.close(ticket()));
    await settled();
    expect(closeKeys()).toHaveLength(1);
    expect(rig.desk.problem).toContain(`position ${ticket()} could not be closed`);
  });

  it('is continued by the next start of the daemon', async () => {
    await dies(() => rig.close(ticket()));
    expect([closeKeys().length, gateway.positions.length]).toEqual([1, 1]);
    await startAgain();
    expect([closeKeys().length, gateway.positions, rig.rejects]).toEqual([2, [], []]);
  });

  it('of a part is not reported by the next start of the daemon if it filled before', async () => {
    await dies(() => rig.close(ticket(), 0.04));
    gateway.fillAccepted();
    await startAgain();
    expect([closeKeys().length, rig.rejects, rig.desk.problem]).toEqual([1, [], null]);
    expect(rig.book.positions).toMatchObject([{ volume: 0.06 }]);
  });
});
