import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clockwork } from '../testing/clockwork';
import { ContractGateway } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';

const same = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic: 7 } as const;

describe('a request that is held for the operator', () => {
  let gateway: ContractGateway;
  let time: Clockwork;
  let rig: DeskRig;
  let stateDir: string;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    time = new Clockwork();
    stateDir = mkdtempSync(join(tmpdir(), 'rig-'));
    rig = await DeskRig.start(gateway, { clock: time.clock, stateDir });
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  const ticket = () => Number(gateway.positions[0]?.['ticket']);
  const settle = (order: number | null) => {
    const [open] = rig.store.openIntents('ema');
    return time.inTime(rig.desk.settle(open?.key ?? '', order));
  };
  /** The daemon dies with a request in flight; by its next start the gateway has lost its journal. */
  async function isLost(request: () => Promise<void>, meanwhile: () => Promise<unknown>): Promise<void> {
    const path = rig.book.openTickets.length === 0 ? '/order' : '/close_position';
    gateway.faults.push({ path, fault: 'lost-before' });
    const sending = request();
    rig.stopNow();
    await time.inTime(sending);
    await rig.stop();
    await meanwhile();
    gateway.loseJournal();
    await time.clock.advance(3 * 86_400_000);
    rig = await DeskRig.start(gateway, { clock: time.clock, stateDir });
    rig.desk.takeUp(rig.store.openIntents('ema'));
    await time.until(() => rig.desk.problem !== null);
  }
  /** An entry that may have become either of two orders, whose positions are closed. */
  async function anEntryIsLost(): Promise<readonly [number, number]> {
    const tickets: number[] = [];
    await isLost(
      () => rig.buy(),
      async () => {
        for (const key of ['one', 'two']) {
          await rig.session.client.order(same, key);
          tickets.push(ticket());
          gateway.closeAtBroker(ticket(), 4, 5);
        }
      },
    );
    return [tickets[0] ?? 0, tickets[1] ?? 0];
  }

  it('stays open, and is a problem, when it is an entry that may have become one of two orders', async () => {
    await anEntryIsLost();
    expect(rig.desk).toMatchObject({ inFlight: 1, entriesInFlight: 1 });
    expect(rig.desk.problem).toContain('another trade journal');
    expect(rig.fills).toEqual([]);
  });

  it('stays open, and is a problem, when another program may have made the close that the broker shows', async () => {
    await time.inTime(rig.buy());
    const position = { ticket: ticket(), volume: 0.02 };
    const other = () => rig.session.client.closePosition({ position }, 'another-client');
    await isLost(() => rig.close(ticket()), other);
    expect(gateway.positions).toMatchObject([{ volume: 0.08 }]);
    expect(gateway.sends.filter(({ path }) => path === '/close_position')).toHaveLength(2);
    expect(rig.desk.inFlight).toBe(1);
    const [left] = rig.store.openIntents('ema');
    expect(rig.desk.problem).toContain(`request ${left?.key} on demo`);
    expect(rig.desk.problem).toContain('audit log');
  });

  it('becomes the order that the operator names, with all fills of it', async () => {
    const [one, two] = await anEntryIsLost();
    await settle(two);
    expect(rig.desk).toMatchObject({ inFlight: 0, problem: null });
    expect(rig.fills).toMatchObject([
      { position: two, entry: 'in', intentId: 'i1' },
      { position: two, entry: 'out' },
    ]);
    expect(rig.book.openTickets).toEqual([]);
    expect(rig.store.openIntents('ema')).toEqual([]);
    expect(rig.fills.filter(({ position }) => position === one)).toEqual([]);
  });

  it('is settled once when two operators settle it at the same time', async () => {
    const [, two] = await anEntryIsLost();
    const results = await Promise.allSettled([settle(two), settle(null)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { submitted, rejected } = rig.desk.counts;
    expect(submitted + rejected).toBe(1);
  });

  it('is rejected when the operator states that it was not executed', async () => {
    await anEntryIsLost();
    await settle(null);
    expect(rig.rejects).toMatchObject([
      { intentId: 'i1', kind: 'rejected', reason: expect.stringContaining('by the operator') },
    ]);
    expect(rig.desk).toMatchObject({ inFlight: 0, problem: null });
    expect(rig.store.openIntents('ema')).toEqual([]);
    expect(gateway.sends.filter(({ path }) => path === '/order')).toHaveLength(3);
  });

  it('does not become an order that the broker’s books contradict', async () => {
    await anEntryIsLost();
    await rig.session.client.order({ ...same, volume: 0.2 }, 'bigger');
    await expect(settle(ticket())).rejects.toThrow(`order ${ticket()} came from request bigger`);
    gateway.loseJournal();
    await expect(settle(ticket())).rejects.toThrow("does not match the request's symbol, magic, side and volume");
    await expect(settle(999)).rejects.toThrow('the broker has no order 999');
    rig.configured = false;
    await expect(settle(ticket())).rejects.toThrow('gateway demo is not configured');
    expect(rig.desk.inFlight).toBe(1);
    expect(rig.store.openIntents('ema')).toHaveLength(1);
  });

  it('becomes the closing order that the operator names, not one of another position', async () => {
    await time.inTime(rig.buy());
    const own = ticket();
    const close = (position: { ticket: number; volume?: number }, key: string) =>
      rig.session.client.closePosition({ position }, key);
    await isLost(
      () => rig.close(own, 0.04),
      async () => close({ ticket: own, volume: 0.02 }, 'other'),
    );
    const order = Number(gateway.deals.at(-1)?.['order']);
    await rig.session.client.order(same, 'foreign');
    const foreign = Number(gateway.positions.at(-1)?.['ticket']);
    await close({ ticket: foreign }, 'foreign close');
    gateway.loseJournal();
    const wrong = Number(gateway.deals.at(-1)?.['order']);
    await expect(settle(wrong)).rejects.toThrow(`order ${wrong} does not act on position ${own}`);
    await settle(order);
    expect(rig.desk.inFlight).toBe(0);
    expect(rig.fills.filter(({ entry }) => entry === 'out')).toMatchObject([{ position: own, volume: 0.02 }]);
  });

  it('can be settled when its gateway is no longer configured', async () => {
    gateway.faults.push({ path: '/order', fault: 'lost-before' });
    const sending = rig.buy();
    rig.stopNow();
    await time.inTime(sending);
    await rig.stop();
    rig = await DeskRig.start(gateway, { clock: time.clock, stateDir });
    rig.configured = false;
    rig.desk.takeUp(rig.store.openIntents('ema'));
    await settle(null);
    expect(rig.desk).toMatchObject({ inFlight: 0, problem: null });
  });

  it('is neither one that is still being resolved nor one that is not in flight', async () => {
    gateway.faults.push({ path: '/order', fault: 'lost-before' });
    gateway.always = { status: 503, body: { ok: false, error: 'away', error_type: 'terminal_unavailable' } };
    await time.inTime(rig.buy());
    await expect(settle(null)).rejects.toThrow('is still being resolved');
    await expect(rig.desk.settle('nonsense', null)).rejects.toThrow('no in-flight request nonsense');
    gateway.always = null;
    await time.until(() => rig.desk.inFlight === 0);
  });
});
