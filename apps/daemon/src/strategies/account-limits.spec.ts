import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig, floating, leave, magicOf, owned } from '../testing/fleet-rig';

const name = 'book/a';
const day = { date: '1970-01-01', equity: '53000' };

describe('the limits of a strategy on two gateways', () => {
  let demo: ContractGateway;
  let live: ContractGateway;
  let rig: FleetRig;
  beforeEach(async () => {
    [demo, live] = [await ContractGateway.start(), await ContractGateway.start()];
  });
  afterEach(async () => {
    await rig.stop();
    await Promise.all([demo.stop(), live.stop()]);
  });

  /** Restarted at its peak, with 3000 in profit on the second gateway. */
  const restarted = async () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'account-'));
    const ticket = floating(live, magicOf('a'), 3_000);
    const record = { capital: 50_000, peakEquity: '53000', day };
    await leave(stateDir, { name, record, tickets: [owned('live', ticket)] });
    const childRisk = { maxDrawdownPct: 5, maxDailyLoss: 1_000 };
    rig = await FleetRig.start({ gateways: { demo, live }, children: { a: ['demo', 'live'] }, childRisk }, stateDir);
    return rig.child('a');
  };

  it('are not applied before both accounts have been read', async () => {
    const { book } = await restarted();
    await rig.look('demo');
    expect(book.record).toMatchObject({ halt: null, peakEquity: '53000', day });
    await rig.look('live');
    expect(book.equity.toString()).toBe('53000');
    expect(book.record).toMatchObject({ halt: null, peakEquity: '53000', day });
  });

  it('are applied after that', async () => {
    const { book } = await restarted();
    Object.assign(live.positions[0] ?? {}, { profit: 0 });
    await rig.look();
    expect(book.record.halt?.reason).toContain('drawdown of 5.66 %');
  });

  it('are also applied while its file does not load', async () => {
    const child = await restarted();
    Object.assign(live.positions[0] ?? {}, { profit: 0 });
    await child.start();
    expect([child.lifecycle.state, child.text.loaded]).toEqual(['failed', null]);
    expect(child.book.record.halt?.reason).toContain('drawdown of 5.66 %');
  });

  it('count from the first known equity after an earlier resume', async () => {
    const { book, account } = await restarted();
    await account.resume();
    await rig.look('demo');
    expect(book.record).toMatchObject({ peakEquity: null, day: null });
    await rig.look('live');
    expect(book.record).toMatchObject({ halt: null, peakEquity: '53000', day });
  });
});
