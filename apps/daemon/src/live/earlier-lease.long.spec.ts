import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SimulatedPostgres } from '@libs/simulated-postgres';
import { blankRecord, type IntentRecord } from '../core/records';
import { Clockwork } from '../testing/clockwork';
import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';
import { exitIntent, StateHost } from '../testing/state-host';

const requote = 10004;

describe('an exit that a host kept on its disk, when the host has the unit again after another one', () => {
  let gateway: ContractGateway;
  let time: Clockwork;
  let rig: DeskRig;
  let stateDir: string;
  let first: StateHost;
  let second: StateHost;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    time = new Clockwork(Date.UTC(2026, 0, 7));
    stateDir = mkdtempSync(join(tmpdir(), 'rig-'));
    rig = await started();
    await time.inTime(rig.buy());
    const server = new SimulatedPostgres(time.clock);
    first = new StateHost('first', server, time.clock);
    second = new StateHost('second', server, time.clock);
    await first.take();
    await first.write({ strategy: blankRecord('trend') });
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  const started = (): Promise<DeskRig> =>
    DeskRig.start(gateway, { clock: time.clock, stateDir, changes: { name: 'trend' } });
  const ticket = (): number => Number(gateway.positions[0]?.['ticket']);
  const keys = (): string[] => gateway.sends.map(({ key }) => key);
  const exit = (path: string, body: object): IntentRecord =>
    exitIntent('k', {
      ...{ ticket: ticket(), call: { method: 'POST', path, body }, createdAtMs: time.clock.nowMs() },
      ...{ journalId: gateway.journalHealth.id },
    });
  const partialClose = (): IntentRecord => exit('/close_position', { position: { ticket: ticket(), volume: 0.04 } });
  /** The first host keeps an exit; then the second has the unit. */
  async function replaced(record: IntentRecord): Promise<void> {
    first.isCut = true;
    await expect(first.write({ intents: [record] })).rejects.toThrow('no connection');
    first.isCut = false;
    await second.take();
  }
  async function takenBack(): Promise<void> {
    await rig.stop();
    const back = first.killed();
    await back.take();
    rig = await started();
    expect(back.open).toEqual(['k']);
    rig.desk.takeUp(back.states.openIntents('trend'));
    await time.until(() => rig.desk.inFlight === 0 || rig.desk.problem !== null);
    expect(rig.desk.problem).toBeNull();
  }

  it('is not sent: the other host has closed the part again', async () => {
    await replaced(partialClose());
    await time.inTime(rig.close(ticket(), 0.04, 'newer'));
    await second.write({ intents: [{ ...partialClose(), key: 'n', intentId: 'newer', state: 'done' }] });
    const sent = keys();
    await takenBack();
    expect(keys()).toEqual(sent);
    expect([...gateway.voids]).toEqual(['k']);
    expect(gateway.positions).toMatchObject([{ volume: 0.06 }]);
    expect(rig.rejects).toMatchObject([{ intentId: 'k' }]);
  });

  it('is not sent if it is a stop-loss: the other host has moved it since', async () => {
    await replaced(exit('/modify_sl_tp', { position: ticket(), sl: 1.05 }));
    await time.inTime(rig.protect(ticket(), 1.07, 'newer'));
    await takenBack();
    expect(gateway.positions).toMatchObject([{ sl: 1.07 }]);
  });

  it('is not sent again under a new key if it was refused for a reason that passes', async () => {
    const record = partialClose();
    gateway.refusal = { path: '/close_position', retcode: requote, times: 1 };
    await time.inTime(rig.session.client.send(record.call, 'k', undefined, ''));
    await replaced(record);
    const sent = keys();
    await takenBack();
    expect(keys()).toEqual(sent);
    expect(gateway.positions).toMatchObject([{ volume: 0.1 }]);
    expect(rig.rejects).toMatchObject([{ intentId: 'k', retcode: requote }]);
  });

  it('is done if the gateway has executed it', async () => {
    const record = partialClose();
    await time.inTime(rig.session.client.send(record.call, 'k', undefined, ''));
    await replaced(record);
    const sent = keys();
    await takenBack();
    expect([keys(), [...gateway.voids]]).toEqual([sent, []]);
    expect(rig.rejects).toEqual([]);
    expect(rig.book.positions).toMatchObject([{ volume: 0.06 }]);
  });
});
