import { Clockwork } from '../testing/clockwork';
import type { ContractGateway, Fault } from '../testing/contract-gateway';
import { DeskWorld } from '../testing/desk-world';

const minuteMs = 60_000;
const away = { status: 503, body: { ok: false, error: 'away', error_type: 'terminal_unavailable' } };

describe('a request whose outcome is unknown', () => {
  let world: DeskWorld;
  let gateway: ContractGateway;
  let time: Clockwork;

  beforeEach(async () => {
    world = await DeskWorld.start();
    ({ gateway, time } = world);
  });
  afterEach(() => world.end());

  it.each([
    ['is sent again under its key', 1_000, 1],
    ['is no longer sent', 15_000, 0],
  ])('%s when an entry could not be sent for %d ms', async (_case, outageMs, sends) => {
    gateway.always = away;
    await time.inTime(world.rig.buy());
    await time.run(outageMs);
    gateway.always = null;
    await world.settled();
    expect(world.sent('/order')).toHaveLength(sends);
    expect(gateway.positions).toHaveLength(sends);
  });

  describe('that is no longer wanted', () => {
    it('restores no old level after a newer change', async () => {
      await time.inTime(world.rig.buy());
      gateway.always = away;
      await time.inTime(world.rig.protect(world.ticket, 1.05, 'older'));
      await time.run(1_000);
      gateway.always = null;
      await time.inTime(world.rig.protect(world.ticket, 1.07, 'newer'));
      await world.settled();
      expect(gateway.positions).toMatchObject([{ sl: 1.07 }]);
      expect(world.sent('/modify_sl_tp')).toHaveLength(1);
      expect(world.rig.rejects).toMatchObject([{ intentId: 'older', kind: 'rejected' }]);
    });

    it('enters nothing under a halt', async () => {
      gateway.always = away;
      await time.inTime(world.rig.buy());
      await time.inTime(world.rig.account.halt('persistent', 'by hand'));
      gateway.always = null;
      await world.settled();
      expect(gateway.sends).toEqual([]);
      expect(world.rig.rejects).toMatchObject([
        { kind: 'rejected', reason: expect.stringContaining('made its key void') },
      ]);
    });

    it('counts as never sent only under a void key: an unknown key at the gateway proves nothing', async () => {
      gateway.always = away;
      await time.inTime(world.rig.buy());
      await time.inTime(world.rig.account.halt('persistent', 'by hand'));
      gateway.refusesVoid = true;
      gateway.always = null;
      await world.minutesPass(3);
      expect([world.rig.desk.inFlight, world.rig.rejects]).toEqual([1, []]);
      gateway.refusesVoid = false;
      await world.settled();
      expect(gateway.voids.size).toBe(1);
      expect(world.rig.rejects).toMatchObject([{ kind: 'rejected' }]);
    });
  });

  describe('after an outage', () => {
    it('is sent under the same key if it is an exit that neither the gateway nor the broker has', async () => {
      await time.inTime(world.rig.buy());
      gateway.always = away;
      await time.inTime(world.rig.close(world.ticket, 0.04));
      await world.minutesPass(5);
      gateway.always = null;
      await world.settled();
      expect(gateway.positions).toMatchObject([{ volume: 0.06 }]);
      expect(world.sent('/close_position')).toHaveLength(1);
      expect(world.rig.desk.counts.retried).toBe(0);
    });

    it('is a rejected exit only under a void key: an earlier send may still arrive', async () => {
      await time.inTime(world.rig.buy());
      gateway.always = away;
      await time.inTime(world.rig.close(world.ticket, 0.04));
      await world.minutesPass(5);
      gateway.killSwitch = true;
      gateway.refusesVoid = true;
      gateway.always = null;
      await world.minutesPass(3);
      expect([world.rig.desk.inFlight, world.rig.rejects]).toEqual([1, []]);
      gateway.refusesVoid = false;
      await world.settled();
      expect(gateway.voids.size).toBe(1);
      expect(world.rig.rejects).toMatchObject([{ intentId: 'c1', kind: 'blocked' }]);
    });

    it('is held, and not sent twice, when it was done and the gateway lost its journal meanwhile', async () => {
      await time.inTime(world.rig.buy());
      gateway.faults.push({ path: '/close_position', fault: 'lost-after' });
      gateway.onRead = (route) => {
        if (route !== 'health' || world.sent('/close_position').length === 0) return;
        gateway.onRead = () => undefined;
        gateway.loseJournal();
      };
      await time.inTime(world.rig.close(world.ticket, 0.04));
      await world.settled();
      await world.minutesPass(5);
      expect(gateway.positions).toMatchObject([{ volume: 0.06 }]);
      expect(world.sent('/close_position')).toHaveLength(1);
      expect(world.rig.desk.inFlight).toBe(1);
      expect(world.rig.desk.problem).toContain('another trade journal');
      // The position is booked from its deals all the same.
      await time.inTime(world.rig.sync.now());
      expect(world.rig.fills.filter(({ entry }) => entry === 'out')).toMatchObject([{ volume: 0.04, intentId: 'c1' }]);
    });
  });

  describe('is concluded by the gateway alone, whatever the clock of the daemon shows', () => {
    /** The daemon ends before it has an answer, and starts on a clock that was set back. */
    async function setBack(byMs: number, fault: Fault) {
      gateway.faults.push({ path: '/order', fault });
      const sending = world.rig.buy();
      world.rig.stopNow();
      await time.inTime(sending);
      await world.rig.stop();
      await world.startAgain(new Clockwork(time.clock.nowMs() - byMs));
    }

    it.each([30_000, 60 * minuteMs])('as never sent, and an entry is not resent: %d ms back', async (byMs) => {
      await setBack(byMs, 'lost-before');
      expect(world.sent('/order')).toHaveLength(1);
      expect(gateway.voids.size).toBe(1);
      expect(world.rig.rejects).toMatchObject([
        { kind: 'rejected', reason: expect.stringContaining('made its key void') },
      ]);
      expect(world.rig.desk).toMatchObject({ inFlight: 0, problem: null });
    });

    it('as done', async () => {
      await setBack(60 * minuteMs, 'lost-after');
      expect(world.sent('/order')).toHaveLength(1);
      expect(world.rig.desk.problem).toBeNull();
      expect(world.rig.book.positions).toMatchObject([{ volume: 0.1 }]);
    });
  });

  describe('days later', () => {
    it('is done when the gateway closed the position, which is not closed again', async () => {
      await time.inTime(world.rig.buy());
      await world.overTheWeekend('/close_position', 'lost-after', () => world.rig.close(world.ticket, 0.04));
      expect(gateway.positions).toMatchObject([{ volume: 0.06 }]);
      expect(world.sent('/close_position')).toHaveLength(1);
      expect(world.rig.book.positions).toMatchObject([{ volume: 0.06 }]);
      expect(world.rig.rejects).toEqual([]);
      expect(world.rig.desk).toMatchObject({ inFlight: 0, problem: null });
    });

    it('is a problem if it is a close that was never sent: nothing is closed days later without a new intent', async () => {
      await time.inTime(world.rig.buy());
      await world.overTheWeekend('/close_position', 'lost-before', () => world.rig.close(world.ticket, 0.04));
      expect(gateway.positions).toMatchObject([{ volume: 0.1 }]);
      expect(world.sent('/close_position')).toHaveLength(1);
      expect(world.rig.rejects).toMatchObject([{ intentId: 'c1', kind: 'rejected' }]);
      expect(world.rig.desk.problem).toContain('could not be closed');
      expect(gateway.voids.size).toBe(1);
    });

    it('is not confused with an earlier close of the same volume', async () => {
      await time.inTime(world.rig.buy());
      await time.inTime(world.rig.close(world.ticket, 0.04));
      await world.overTheWeekend('/close_position', 'lost-before', () => world.rig.close(world.ticket, 0.04, 'c2'));
      expect(gateway.positions).toMatchObject([{ volume: 0.06 }]);
      expect(world.rig.rejects).toMatchObject([{ intentId: 'c2', kind: 'rejected' }]);
    });

    it('restores no old level', async () => {
      await time.inTime(world.rig.buy());
      const moved = () => void Object.assign(gateway.positions[0] ?? {}, { sl: 1.08 });
      await world.overTheWeekend('/modify_sl_tp', 'lost-after', () => world.rig.protect(world.ticket, 1.05), moved);
      expect(gateway.positions).toMatchObject([{ sl: 1.08 }]);
      expect(world.sent('/modify_sl_tp')).toHaveLength(1);
      expect(world.rig.rejects).toEqual([]);
    });

    it('is an entry that was filled and closed since, and its result is booked', async () => {
      const stopped = () => gateway.closeAtBroker(world.ticket, 4, -50);
      await world.overTheWeekend('/order', 'lost-after', () => world.rig.buy(), stopped);
      expect(world.rig.rejects).toEqual([]);
      expect(world.rig.fills).toMatchObject([
        { entry: 'in', intentId: 'i1' },
        { entry: 'out', reason: 'sl' },
      ]);
      expect(world.rig.book.record).toMatchObject({ trades: 2, realized: '-50.71' });
    });

    it('is an entry that was never sent, even if the broker has a similar position', async () => {
      const { client } = world.rig.session;
      const same = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic: 7 } as const;
      const another = async () => {
        await client.order(same, 'another-client');
        gateway.closeAtBroker(world.ticket, 4, 5);
      };
      await world.overTheWeekend('/order', 'lost-before', () => world.rig.buy(), another);
      expect(world.sent('/order')).toHaveLength(2);
      expect(world.rig.rejects).toMatchObject([{ intentId: 'i1', kind: 'rejected' }]);
      expect(world.rig.fills).toEqual([]);
      expect(world.rig.desk).toMatchObject({ inFlight: 0, problem: null });
    });
  });
});
