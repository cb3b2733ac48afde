import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContractGateway, type Fault } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';

describe('an order', () => {
  let gateway: ContractGateway;
  let rig: DeskRig;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    rig = await DeskRig.start(gateway);
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  const ticket = () => Number(gateway.positions[0]?.['ticket']);

  it('is filled, owned by its ticket, and its costs are realized at once', async () => {
    await rig.buy();
    expect(rig.fills).toMatchObject([{ intentId: 'i1', position: ticket(), entry: 'in', price: 1.1, realized: -0.35 }]);
    expect(rig.book.realized.toString()).toBe('-0.35');
    expect(rig.book.positions).toMatchObject([{ ticket: ticket(), side: 'buy', volume: 0.1, unrealized: 0.5 }]);
    expect(gateway.sends[0]?.body).toEqual({ symbol: 'EURUSD', volume: 0.1, type: 'BUY', magic: 7 });
  });

  it('is closed by its ticket, and the result comes from the deals', async () => {
    await rig.buy();
    await rig.close(ticket());
    expect(rig.fills[1]).toMatchObject({ intentId: 'c1', entry: 'out', reason: 'strategy', realized: 11.98 });
    expect(rig.book.realized.toString()).toBe('11.63');
    expect(rig.book.positions).toEqual([]);
    expect(rig.store.openTickets('ema')).toEqual([]);
  });

  it('is closed in part by its volume', async () => {
    await rig.buy(0.3);
    await rig.close(ticket(), 0.1);
    expect(rig.book.positions).toMatchObject([{ volume: 0.2 }]);
    expect(rig.book.record.trades).toBe(2);
  });

  it('has its latency to the fill measured, and a change of levels has no fill', async () => {
    const fills = () => rig.latency.snapshotOf('ema').submission_to_fill?.count;
    await rig.buy();
    expect(fills()).toBe(1);
    await rig.protect(ticket(), 1.05);
    expect(gateway.positions[0]).toMatchObject({ sl: 1.05 });
    expect(fills()).toBe(1);
    await rig.close(ticket());
    expect(fills()).toBe(2);
  });

  it.each<Fault>(['lost-before', 'lost-after', 'unknown-before', 'unknown-after'])(
    'whose outcome is unknown (%s) is sent again under the same key only, and opens one position',
    async (fault) => {
      gateway.faults.push({ path: '/order', fault });
      await rig.buy();
      await rig.settled();
      expect(new Set(gateway.sends.map(({ key }) => key)).size).toBe(1);
      expect(gateway.positions).toHaveLength(1);
      expect(rig.fills).toHaveLength(1);
      expect(rig.book.owns('demo', ticket())).toBe(true);
    },
  );

  it('is not followed by another entry while its outcome is unknown', async () => {
    gateway.always = { status: 502, body: { ok: false, error: 'x', error_type: 'unknown_outcome' } };
    await rig.buy();
    await rig.buy(0.1, 'i2');
    expect(rig.rejects).toMatchObject([{ intentId: 'i2', kind: 'denied' }]);
    expect(new Set(gateway.sends.map(({ key }) => key)).size).toBeLessThanOrEqual(1);
    gateway.always = null;
    await rig.settled();
    expect(gateway.positions).toHaveLength(1);
  });

  it('without a known order halts the strategy when its position appears', async () => {
    gateway.namesNoOrder = true;
    await rig.buy();
    await rig.sync.now();
    expect(rig.rejects).toEqual([]);
    expect(rig.book.record.halt).toMatchObject({
      kind: 'persistent',
      reason: expect.stringContaining('did not open: 1001'),
    });
  });

  it('that the broker refuses is rejected with its return code', async () => {
    await rig.buy(99);
    expect(rig.rejects).toMatchObject([{ kind: 'rejected', retcode: 10019 }]);
    expect(rig.desk.counts).toMatchObject({ rejected: 1, blocked: 0 });
  });

  it('that the kill switch blocks is never sent again, and counted separately', async () => {
    gateway.killSwitch = true;
    await rig.buy();
    expect(rig.rejects).toMatchObject([{ kind: 'blocked' }]);
    expect(rig.desk.counts).toMatchObject({ rejected: 0, blocked: 1 });
    expect(gateway.sends).toHaveLength(1);
  });

  it('whose first send was lost is not proven undone by a later rejection of the kill switch', async () => {
    gateway.faults.push({ path: '/order', fault: 'lost-after' });
    await rig.buy();
    gateway.killSwitch = true;
    await rig.settled();
    expect(rig.rejects).toEqual([]);
    expect(rig.book.positions).toHaveLength(1);
  });

  it('whose state cannot be written is not sent', async () => {
    await rig.store.close();
    await rig.buy();
    expect(rig.rejects).toMatchObject([{ kind: 'denied', reason: 'the state cannot be written' }]);
    expect(gateway.sends).toEqual([]);
    expect(rig.persistence).toMatchObject({ failedWrites: 1 });
  });
});

describe('the account', () => {
  let gateway: ContractGateway;
  let rig: DeskRig;
  let stateDir: string;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    stateDir = mkdtempSync(join(tmpdir(), 'rig-'));
    rig = await DeskRig.start(gateway, { stateDir });
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  it('that cannot be read closes nothing, and stops entries until it can', async () => {
    await rig.buy();
    gateway.always = { status: 503, body: { ok: false, error: 'down', error_type: 'terminal_unavailable' } };
    await rig.sync.now();
    expect(rig.book.positions).toHaveLength(1);
    await rig.buy(0.1, 'i2');
    expect(rig.rejects).toMatchObject([{ intentId: 'i2', kind: 'denied', reason: 'the account could not be read' }]);
    gateway.always = null;
  });

  it('that was executed is in flight for its strategy until the account shows it', async () => {
    const seen = () => {
      const { inFlight, positions, orders } = rig.trading.view();
      return [inFlight, positions.length, orders.length];
    };
    gateway.hidesLists = true;
    await rig.buy();
    await rig.settled();
    expect([gateway.positions.length, rig.desk.inFlight, seen()]).toEqual([1, 0, [1, 0, 0]]);
    await rig.sync.now();
    expect(seen()).toEqual([1, 0, 0]);
    gateway.hidesLists = false;
    await rig.sync.now();
    expect(seen()).toEqual([0, 1, 0]);
    await rig.close(Number(gateway.positions[0]?.['ticket']));
    await rig.sync.now();
    expect(seen()).toEqual([0, 0, 0]);
  });

  it.each([
    ['sl', 4],
    ['tp', 5],
    ['stop_out', 6],
    ['other', 0],
  ])('emits the fill of a position that the broker closed, with its reason: %s', async (reason, code) => {
    await rig.buy();
    gateway.closeAtBroker(Number(gateway.positions[0]?.['ticket']), code, -50);
    await rig.sync.now();
    expect(rig.fills[1]).toMatchObject({ intentId: null, entry: 'out', reason, realized: -50.36 });
    expect(rig.book.positions).toEqual([]);
  });

  it('keeps what a strategy owns and earned over a restart, and books nothing twice', async () => {
    await rig.buy();
    const realized = rig.book.realized.toString();
    await rig.stop();
    gateway.closeAtBroker(Number(gateway.positions[0]?.['ticket']), 4, 20);
    rig = await DeskRig.start(gateway, { stateDir });
    expect(rig.fills).toMatchObject([{ entry: 'out', realized: 19.64 }]);
    expect(rig.book.realized.toString()).toBe(String(Number(realized) + 19.64));
  });

  it('resolves after a restart what was open before it, without a fresh key', async () => {
    gateway.faults.push({ path: '/order', fault: 'lost-after' });
    const sent = rig.buy();
    rig.stopNow();
    await sent;
    await rig.stop();
    expect(rig.book.positions).toEqual([]);
    rig = await DeskRig.start(gateway, { stateDir });
    rig.desk.takeUp(rig.store.openIntents('ema'));
    await rig.settled();
    await rig.sync.now();
    expect(rig.book.positions).toHaveLength(1);
    expect(gateway.positions).toHaveLength(1);
    expect(new Set(gateway.sends.map(({ key }) => key)).size).toBe(1);
  });

  it.each(['open', 'closed'])(
    'books nothing twice when the outcome of an entry is recovered again: %s',
    async (now) => {
      await rig.buy();
      const [ticket] = gateway.positions.map((row) => Number(row['ticket']));
      if (now === 'closed') await rig.close(Number(ticket));
      const { realized, trades } = rig.book.record;
      // A full disk took the ticket and its deals, and not that the request was done.
      const [entry] = rig.store.dump().intents.filter(({ isEntry }) => isEntry);
      await rig.store.write({ intents: entry ? [{ ...entry, state: 'open' }] : [] });
      await rig.stop();
      rig = await DeskRig.start(gateway, { stateDir });
      rig.desk.takeUp(rig.store.openIntents('ema'));
      expect(rig.desk.inFlight).toBe(1);
      await rig.settled();
      await rig.sync.now();
      expect(rig.book.record).toMatchObject({ realized, trades });
      expect(rig.book.positions).toHaveLength(now === 'open' ? 1 : 0);
      expect(rig.store.openIntents('ema')).toEqual([]);
    },
  );

  it('halts a strategy for a position under its magic that it never opened', async () => {
    gateway.openAtBroker(7);
    await rig.sync.now();
    expect(rig.book.record.halt).toMatchObject({ kind: 'persistent' });
    await rig.buy();
    expect(rig.rejects).toMatchObject([{ kind: 'denied', reason: expect.stringContaining('halted') }]);
  });

  it('adopts such a position if the configuration says so', async () => {
    await rig.stop();
    rig = await DeskRig.start(gateway, { changes: { onMismatch: 'adopt' } });
    const ticket = gateway.openAtBroker(7);
    await rig.sync.now();
    await rig.sync.now();
    expect(rig.book.positions).toMatchObject([{ ticket, stream: 'eur' }]);
    expect(rig.book.record.halt).toBeNull();
  });

  it('halts entries for the day when too much is lost, and lets exits pass', async () => {
    await rig.stop();
    const risk = { maxVolume: null, maxOpenPositions: null, maxDailyLoss: 40, maxDrawdownPct: null };
    rig = await DeskRig.start(gateway, { changes: { risk } });
    await rig.buy();
    await rig.buy(0.1, 'i2');
    gateway.closeAtBroker(Number(gateway.positions[0]?.['ticket']), 4, -50);
    await rig.sync.now();
    expect(rig.book.record.halt).toMatchObject({ kind: 'daily' });
    await rig.buy(0.1, 'i3');
    expect(rig.rejects).toMatchObject([{ intentId: 'i3', kind: 'denied' }]);
    await rig.close(Number(gateway.positions[0]?.['ticket']));
    expect(gateway.positions).toEqual([]);
  });
});
