import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Retcode } from '@libs/trade-constants';
import { Clockwork } from '../testing/clockwork';
import { ContractGateway } from '../testing/contract-gateway';
import { deskLogFile, DeskRig } from '../testing/desk-rig';

describe('a stop-loss that was lost without a request', () => {
  let gateway: ContractGateway;
  let time: Clockwork;
  let rig: DeskRig;
  let stateDir: string;
  beforeEach(async () => {
    gateway = await ContractGateway.start();
    time = new Clockwork();
    stateDir = mkdtempSync(join(tmpdir(), 'lost-stops-'));
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  const begins = async (onLostStop?: 'restore' | 'close'): Promise<void> => {
    rig = await DeskRig.start(gateway, { clock: time.clock, stateDir, changes: onLostStop ? { onLostStop } : {} });
    await time.inTime(rig.buy());
    await time.inTime(rig.protect(ticket(), 1.05));
    await look();
    gateway.sends.length = 0;
  };
  const ticket = () => Number(gateway.positions[0]?.['ticket']);
  const row = () => gateway.positions[0] ?? {};
  /** What the broker did, and what the gateway says of it. */
  const broker = (sl: number, expected = 1.05): void => {
    Object.assign(row(), { sl });
    const rest = { symbol: 'EURUSD', intent_id: null, since: '2024-01-01T00:00:00Z', message: '' };
    const level = { kind: 'level_mismatch', ticket: ticket(), field: 'sl', expected, actual: sl };
    gateway.differences = sl === expected ? [] : [{ ...rest, ...level }];
  };
  const look = async (): Promise<void> => {
    await rig.sync.now();
    await time.until(() => rig.desk.inFlight === 0);
  };
  const sent = () => gateway.sends.map(({ path, body }) => [path, body['sl']]);

  it('is set again once for each loss, with a key of its own', async () => {
    await begins('restore');
    await rig.hub.refresh('EURUSD');
    await look();
    expect(sent()).toEqual([]);
    broker(0);
    // The broker takes it away again at once: the account never showed it in place.
    gateway.onRead = (route) => route === 'get_positions' && broker(0);
    await look();
    await look();
    await look();
    expect(sent()).toEqual([['/modify_sl_tp', 1.05]]);
    expect(readFileSync(deskLogFile, 'utf8')).toContain('its stop-loss 1.05000 was lost');
    gateway.onRead = () => undefined;
    broker(1.05);
    await look();
    broker(1.01);
    await look();
    expect(sent()).toEqual([
      ['/modify_sl_tp', 1.05],
      ['/modify_sl_tp', 1.05],
    ]);
    expect(new Set(gateway.sends.map(({ key }) => key)).size).toBe(2);
  });

  it('closes the position if the strategy wants that', async () => {
    await begins('close');
    broker(0);
    await look();
    expect(sent().map(([path]) => path)).toEqual(['/close_position']);
    expect(gateway.positions).toEqual([]);
  });

  it('is only reported by default', async () => {
    await begins();
    broker(0);
    await look();
    expect(sent()).toEqual([]);
    expect(rig.store.openTickets('ema')[0]).not.toHaveProperty('stop');
  });

  it('is left alone while the account is not explained, or if the books hold another one', async () => {
    await begins('restore');
    broker(0, 1.04);
    await look();
    broker(0);
    gateway.unexplained = [
      { kind: 'history_incomplete', ticket: null, symbol: null, message: 'the history lacks 1 deal' },
    ];
    await look();
    expect(sent()).toEqual([]);
    gateway.unexplained = [];
    await look();
    expect(sent()).toEqual([['/modify_sl_tp', 1.05]]);
  });

  it('is none if the broker never had it in place and has another one: it was rounded', async () => {
    rig = await DeskRig.start(gateway, { clock: time.clock, changes: { onLostStop: 'close' } });
    await time.inTime(rig.buy());
    gateway.onRead = (route) => route === 'get_positions' && row()['sl'] === 1.051 && broker(1.05, 1.051);
    await time.inTime(rig.protect(ticket(), 1.051));
    await look();
    await look();
    expect(gateway.positions).toHaveLength(1);
  });

  it('is acted on once over restarts', async () => {
    await begins('restore');
    gateway.refusal = { path: '/modify_sl_tp', retcode: Retcode.INVALID_STOPS, times: 10 };
    broker(0);
    await look();
    expect(sent()).toHaveLength(1);
    await rig.stop();
    rig = await DeskRig.start(gateway, { clock: time.clock, stateDir, changes: { onLostStop: 'restore' } });
    await look();
    expect(sent()).toHaveLength(1);
  });
});
