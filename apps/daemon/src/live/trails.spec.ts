import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StopTerms } from '../core/trails';
import { Clockwork } from '../testing/clockwork';
import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';
import { IdempotencyKeys } from './surroundings';

const byItself = { receivedNanos: null, decidedNanos: null };
const decision = { marketMs: 0, staleBarMs: null, isStateKept: true };
const euro: StopTerms = { tickSize: 0.00001, digits: 5, stopsDistance: 0.0001, freezeDistance: 0 };

describe('the trailing stops of a strategy', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'trail-desk-'));
  /** Requests in flight whenever the next one was made. */
  const inFlightAtKey: number[] = [];
  class NotedKeys extends IdempotencyKeys {
    override next(): string {
      inFlightAtKey.push(rig.desk.inFlight);
      return super.next();
    }
  }
  let gateway: ContractGateway;
  let time: Clockwork;
  let rig: DeskRig;
  beforeEach(async () => {
    gateway = await ContractGateway.start();
    time = new Clockwork();
    rig = await DeskRig.start(gateway, {
      clock: time.clock,
      stateDir: mkdtempSync(join(stateDir, 'state-')),
      keys: new NotedKeys(randomUUID()),
    });
    await time.inTime(rig.buy());
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  const ticket = () => Number(gateway.positions[0]?.['ticket']);
  const trail = (distance = 0.002) => {
    const intent = { id: 't1', action: 'trail', position: ticket(), broker: 'demo', trail: { distance } } as const;
    return time.inTime(rig.trading.carryOut(intent, byItself, decision));
  };
  const see = (bid: number) => rig.desk.see('eur', { timeMs: 0, bid, ask: bid + 0.0001 }, euro);
  const changes = () => gateway.sends.filter(({ path }) => path === '/modify_sl_tp').map(({ body }) => body);
  /** The moment after a quote at which nothing is in flight. */
  const settled = async (sent: number): Promise<void> => {
    await time.until(() => changes().length === sent && rig.desk.inFlight === 0);
  };

  it('move the stop-loss at the gateway, and are on disk', async () => {
    await trail();
    expect(rig.store.openTickets('ema')).toMatchObject([
      { ticket: ticket(), trail: { intentId: 't1', distance: 0.002 } },
    ]);
    see(1.105);
    see(1.1051);
    await settled(1);
    see(1.106);
    await settled(2);
    expect(changes().map(({ sl }) => sl)).toEqual([1.1031, 1.104]);
    expect(gateway.positions).toMatchObject([{ sl: 1.104 }]);
  });

  it('leave a stop-loss that a person has set nearer since the account was read', async () => {
    await trail();
    Object.assign(gateway.positions[0] ?? {}, { sl: 1.1045 });
    see(1.105);
    see(1.1055);
    await time.until(() => rig.book.positions[0]?.sl === 1.1045);
    see(1.107);
    await settled(1);
    expect(changes().map(({ sl }) => sl)).toEqual([1.105]);
  });

  it('are no longer under way when the strategy sets the levels itself', async () => {
    await trail();
    see(1.105);
    while (rig.desk.inFlight === 0) await new Promise((resolve) => setImmediate(resolve));
    inFlightAtKey.length = 0;
    const intent = { id: 'p1', action: 'protect', position: ticket(), broker: 'demo', sl: 1.1045 } as const;
    await time.inTime(rig.trading.carryOut(intent, byItself, decision));
    expect(inFlightAtKey).toEqual([0]);
    expect(changes().map(({ sl }) => sl)).toEqual([1.103, 1.1045]);
    expect(gateway.positions).toMatchObject([{ sl: 1.1045 }]);
  });

  it('are blocked by the kill switch, and go on after it', async () => {
    await trail();
    gateway.killSwitch = true;
    see(1.105);
    await time.until(() => rig.rejects.length === 1);
    expect(rig.rejects).toMatchObject([{ intentId: 't1', kind: 'blocked' }]);
    gateway.killSwitch = false;
    see(1.1051);
    expect(rig.desk.inFlight).toBe(0);
    await time.clock.advance(10_000);
    see(1.105);
    await settled(2);
    expect(gateway.positions).toMatchObject([{ sl: 1.1031 }]);
  });

  it('send nothing while the account cannot be read', async () => {
    await trail();
    gateway.always = { status: 503, body: { ok: false } };
    see(1.105);
    await time.until(() => rig.sync.problem !== null);
    gateway.always = null;
    await time.clock.advance(1_000);
    see(1.105);
    await settled(1);
    expect(changes()).toMatchObject([{ sl: 1.103 }]);
  });
});
