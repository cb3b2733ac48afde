import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clockwork } from '../testing/clockwork';
import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';
import { exitIntent } from '../testing/state-host';

const [requote, invalidStops] = [10004, 10016];

describe('a request that an earlier start of the daemon left open', () => {
  let gateway: ContractGateway;
  let time: Clockwork;
  let rig: DeskRig;
  let stateDir: string;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    time = new Clockwork();
    stateDir = mkdtempSync(join(tmpdir(), 'rig-'));
    rig = await DeskRig.start(gateway, { clock: time.clock, stateDir });
    await time.inTime(rig.buy());
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  const ticket = () => Number(gateway.positions[0]?.['ticket']);
  const closeKeys = () => gateway.sends.filter(({ path }) => path === '/close_position').map(({ key }) => key);
  const settled = () => time.until(() => rig.desk.inFlight === 0 || rig.desk.problem !== null);
  /** The daemon dies while a request is in flight. */
  async function dies(during: () => Promise<void>): Promise<void> {
    const sent = during();
    rig.stopNow();
    await time.inTime(sent);
    await rig.stop();
  }
  async function startAgain(): Promise<void> {
    rig = await DeskRig.start(gateway, { clock: time.clock, stateDir });
    rig.desk.takeUp(rig.store.openIntents('ema'));
  }

  it('is retried if it is an exit that the broker rejected for a temporary reason', async () => {
    gateway.faults.push({ path: '/close_position', fault: 'lost-before' });
    await dies(() => rig.close(ticket()));
    gateway.refusal = { path: '/close_position', retcode: requote, times: 1 };
    await startAgain();
    await settled();
    expect(gateway.positions).toEqual([]);
    expect(rig.desk.counts).toMatchObject({ retried: 1, rejected: 0 });
    expect(rig.fills).toMatchObject([{ entry: 'out', intentId: 'c1' }]);
  });

  it('is followed to its end together with all other open ones', async () => {
    gateway.faults.push({ path: '/order', fault: 'lost-before' }, { path: '/close_position', fault: 'lost-before' });
    await dies(async () => {
      await rig.buy(0.2, 'i2');
      await rig.close(ticket());
    });
    await startAgain();
    expect(rig.desk.inFlight).toBe(2);
    await settled();
    expect(gateway.positions).toEqual([]);
    expect(rig.rejects).toMatchObject([{ intentId: 'i2' }]);
    expect(rig.store.openIntents('ema')).toEqual([]);
  });

  it('is not sent if it is an exit that a newer one for its position superseded, which has ended', async () => {
    const older = exitIntent('older', {
      ...{ strategy: 'ema', ticket: ticket(), createdAtMs: time.clock.nowMs(), journalId: gateway.journalHealth.id },
      call: { method: 'POST', path: '/close_position', body: { position: { ticket: ticket(), volume: 0.04 } } },
    });
    const newer = exitIntent('newer', { ...older, ...{ key: 'newer', intentId: 'newer', state: 'done' } });
    await rig.store.write({ intents: [older, { ...newer, createdAtMs: older.createdAtMs + 1 }] });
    await rig.stop();
    await startAgain();
    await settled();
    expect(closeKeys()).toEqual([]);
    expect(rig.store.openIntents('ema')).toEqual([]);
  });

  it('is not passed over if a past exit cannot be read, which may have superseded it', async () => {
    const open = exitIntent('open', { strategy: 'ema', ticket: ticket(), journalId: gateway.journalHealth.id });
    const past = exitIntent('past', { ...open, key: 'past', intentId: 'past', state: 'done', outcome: 5 as never });
    await rig.store.write({ intents: [open, past] });
    await rig.stop();
    rig = await DeskRig.start(gateway, { clock: time.clock, stateDir });
    expect(rig.trading.unreadable).toContain('"past"');
    for (const _time of ['first', 'second']) await expect(rig.trading.takeUp()).rejects.toThrow('"past"');
    expect(rig.desk.inFlight).toBe(0);
  });

  it('is retried if it is a rejected exit that waited for its retry', async () => {
    gateway.refusal = { path: '/close_position', retcode: requote, times: 1 };
    await dies(() => rig.close(ticket()));
    expect(gateway.positions).toHaveLength(1);
    await startAgain();
    await settled();
    expect(gateway.positions).toEqual([]);
    expect(rig.fills).toMatchObject([{ entry: 'out', intentId: 'c1' }]);
    expect(rig.rejects).toEqual([]);
    expect(closeKeys()).toEqual([expect.stringMatching(/^[^~]+$/), expect.stringMatching(/~1$/)]);
  });

  it('is not retried if the retry was sent, even if neither the retry nor the rejection was written', async () => {
    gateway.refusal = { path: '/close_position', retcode: requote, times: 1 };
    await time.inTime(rig.close(ticket(), 0.04));
    await settled();
    expect(gateway.positions).toMatchObject([{ volume: 0.06 }]);
    const first = rig.store.dump().intents.find(({ key }) => key === closeKeys()[0]);
    if (!first) throw new Error('the first try is not in the state');
    await rig.store.write({ intents: [{ ...first, state: 'open', outcome: null }] });
    await rig.stop();
    await startAgain();
    await settled();
    expect(rig.desk.inFlight).toBe(0);
    expect(gateway.positions).toMatchObject([{ volume: 0.06 }]);
    expect(rig.book.positions).toMatchObject([{ volume: 0.06 }]);
    expect(new Set(closeKeys()).size).toBe(2);
  });

  it('is superseded by a newer one for the same purpose, in any order of reading', async () => {
    for (let times = 0; times < 4; times++) gateway.faults.push({ path: '/modify_sl_tp', fault: 'lost-before' });
    await time.inTime(rig.protect(ticket(), 1.05, 'older'));
    await time.run(1_000);
    await dies(() => rig.protect(ticket(), 1.07, 'newer'));
    gateway.faults.length = 0;
    const before = gateway.sends.length;
    rig = await DeskRig.start(gateway, { clock: time.clock, stateDir });
    const open = [...rig.store.openIntents('ema')].sort((a, b) => b.createdAtMs - a.createdAtMs);
    expect(open.map(({ intentId }) => intentId)).toEqual(['newer', 'older']);
    rig.desk.takeUp(open);
    await settled();
    expect(gateway.sends.slice(before).map(({ body }) => body['sl'])).toEqual([1.07]);
    expect(gateway.positions).toMatchObject([{ sl: 1.07 }]);
  });

  it('is a problem if it is an exit without effect', async () => {
    gateway.faults.push({ path: '/close_position', fault: 'lost-before' });
    await dies(() => rig.close(ticket()));
    gateway.refusal = { path: '/close_position', retcode: invalidStops, times: 1 };
    await startAgain();
    await settled();
    expect(rig.rejects).toMatchObject([{ intentId: 'c1', retcode: invalidStops }]);
    expect(rig.desk.problem).toContain(`position ${ticket()} could not be closed`);
    // As long as the position is open and no close of it is done, whatever starts again.
    for (let starts = 0; starts < 2; starts++) {
      await rig.stop();
      await startAgain();
      expect(rig.desk.problem).toContain(`position ${ticket()} could not be closed`);
    }
    await time.inTime(rig.close(ticket(), 0.05, 'c2'));
    expect(gateway.positions).toMatchObject([{ volume: 0.05 }]);
    await rig.stop();
    await startAgain();
    expect(rig.desk.problem).toBeNull();
  });

  it('stays in flight, and is a problem, while its gateway is not configured', async () => {
    gateway.faults.push({ path: '/close_position', fault: 'lost-before' });
    await dies(() => rig.close(ticket()));
    rig = await DeskRig.start(gateway, { clock: time.clock, stateDir });
    rig.configured = false;
    const [left] = rig.store.openIntents('ema');
    rig.desk.takeUp(left ? [left] : []);
    expect(rig.desk).toMatchObject({ inFlight: 1, unknown: 0, brokersOnTheWay: ['demo'] });
    expect(rig.desk.problem).toContain(`request ${left?.key} on demo`);
    expect(rig.desk.problem).toContain('configure it again');
    await time.inTime(rig.close(ticket(), null, 'c2'));
    expect(rig.rejects).toMatchObject([{ intentId: 'c2', kind: 'denied', reason: 'gateway demo is not configured' }]);
    expect(gateway.sends.filter(({ path }) => path === '/close_position')).toHaveLength(1);
  });

  it('stays in flight, and is a problem, when its gateway is removed during its recovery', async () => {
    gateway.faults.push({ path: '/close_position', fault: 'lost-after' });
    gateway.onRead = (route) => {
      if (route === 'health' && closeKeys().length > 0) rig.configured = false;
    };
    await time.inTime(rig.close(ticket()));
    await settled();
    expect(rig.desk).toMatchObject({ inFlight: 1, unknown: 0 });
    expect(rig.desk.problem).toContain('gateway demo is not configured');
  });
});
