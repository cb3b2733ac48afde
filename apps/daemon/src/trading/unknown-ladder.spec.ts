import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clockwork } from '../testing/clockwork';
import { ContractGateway, type Fault } from '../testing/contract-gateway';
import { DeskRig } from '../testing/desk-rig';

const away = { status: 503, body: { ok: false, error: 'away', error_type: 'terminal_unavailable' } };
const minuteMs = 60_000;
const weekendMs = 3 * 24 * 60 * minuteMs;

describe('a request whose outcome is unknown', () => {
  let gateway: ContractGateway;
  let time: Clockwork;
  let rig: DeskRig;
  let stateDir: string;
  /** What the gateway does to its memory over a weekend. */
  let forgets: () => void;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    time = new Clockwork();
    forgets = () => gateway.forget();
    stateDir = mkdtempSync(join(tmpdir(), 'rig-'));
    rig = await DeskRig.start(gateway, { clock: time.clock, stateDir });
  });
  afterEach(async () => {
    gateway.always = null;
    await rig.stop();
    await gateway.stop();
  });

  const ticket = () => Number(gateway.positions[0]?.['ticket']);
  const sent = (path: string) => gateway.sends.filter((send) => send.path === path);
  const settled = () => time.until(() => rig.desk.inFlight === 0 || rig.desk.problem !== null);
  /** The daemon ends before it hears what became of a request, and starts when the gateway does not know the key any more. */
  async function overTheWeekend(
    path: string,
    fault: Fault,
    request: () => Promise<void>,
    meanwhile: () => unknown = () => undefined,
  ) {
    gateway.faults.push({ path, fault });
    const sending = request();
    rig.stopping = true;
    await time.inTime(sending);
    await rig.stop();
    await meanwhile();
    forgets();
    await time.clock.advance(weekendMs);
    rig = await DeskRig.start(gateway, { clock: time.clock, stateDir });
    rig.desk.takeUp(rig.store.openIntents('ema'));
    await settled();
    await time.inTime(rig.sync.now());
  }

  describe('that nobody wants any more', () => {
    it('moves no level back after a newer one', async () => {
      await time.inTime(rig.buy());
      gateway.always = away;
      await time.inTime(rig.protect(ticket(), 1.05, 'older'));
      await time.run(1_000);
      gateway.always = null;
      await time.inTime(rig.protect(ticket(), 1.07, 'newer'));
      await settled();
      expect(gateway.positions).toMatchObject([{ sl: 1.07 }]);
      expect(sent('/modify_sl_tp')).toHaveLength(1);
      expect(rig.rejects).toMatchObject([{ intentId: 'older', kind: 'rejected' }]);
    });

    it('enters nothing under a halt', async () => {
      gateway.always = away;
      await time.inTime(rig.buy());
      await time.inTime(rig.account.halt('persistent', 'by hand'));
      gateway.always = null;
      await settled();
      expect(gateway.sends).toEqual([]);
      expect(rig.rejects).toMatchObject([{ kind: 'rejected', reason: 'it never reached the gateway' }]);
    });

    it('counts as never sent only under a void key: that the gateway does not know it proves nothing', async () => {
      gateway.always = away;
      await time.inTime(rig.buy());
      await time.inTime(rig.account.halt('persistent', 'by hand'));
      gateway.refusesVoid = true;
      gateway.always = null;
      for (let minutes = 0; minutes < 3; minutes++) await time.run(minuteMs);
      expect([rig.desk.inFlight, rig.rejects]).toEqual([1, []]);
      gateway.refusesVoid = false;
      await settled();
      expect(gateway.voids.size).toBe(1);
      expect(rig.rejects).toMatchObject([{ kind: 'rejected' }]);
    });
  });

  describe('after an outage', () => {
    it('is sent under the same key when it is an exit that neither gateway nor broker knows', async () => {
      await time.inTime(rig.buy());
      gateway.always = away;
      await time.inTime(rig.close(ticket(), 0.04));
      for (let minutes = 0; minutes < 5; minutes++) await time.run(minuteMs);
      gateway.always = null;
      await settled();
      expect(gateway.positions).toMatchObject([{ volume: 0.06 }]);
      expect(sent('/close_position')).toHaveLength(1);
      expect(rig.desk.counts.retried).toBe(0);
    });

    it('is not sent twice when it was done and the gateway has forgotten it', async () => {
      await time.inTime(rig.buy());
      for (let times = 0; times < 2; times++) gateway.faults.push({ path: '/close_position', fault: 'lost-after' });
      gateway.onRead = (route) => {
        if (route !== 'trade_requests') return;
        gateway.forget();
        gateway.always = away;
      };
      await time.inTime(rig.close(ticket(), 0.04));
      for (let minutes = 0; minutes < 2; minutes++) await time.run(minuteMs);
      gateway.onRead = () => undefined;
      gateway.always = null;
      await settled();
      expect(gateway.positions).toMatchObject([{ volume: 0.06 }]);
      expect(rig.fills.filter(({ entry }) => entry === 'out')).toMatchObject([{ volume: 0.04, intentId: 'c1' }]);
    });
  });

  describe('when the clock was set back since', () => {
    /** The daemon ends before it hears what became of an entry, and starts on a clock that shows less. */
    async function setBack(byMs: number, fault: Fault) {
      gateway.faults.push({ path: '/order', fault });
      const sending = rig.buy();
      rig.stopping = true;
      await time.inTime(sending);
      await rig.stop();
      time = new Clockwork(time.clock.nowMs() - byMs);
      rig = await DeskRig.start(gateway, { clock: time.clock, stateDir });
      rig.desk.takeUp(rig.store.openIntents('ema'));
      await settled();
    }

    it('is not sent again: nobody knows how old it is', async () => {
      await setBack(30_000, 'lost-before');
      expect(sent('/order')).toHaveLength(1);
      expect(rig.rejects).toMatchObject([{ kind: 'rejected', reason: expect.stringContaining('has no order of it') }]);
    });

    it('is done when it stands at the broker', async () => {
      await setBack(60 * minuteMs, 'lost-after');
      expect(sent('/order')).toHaveLength(1);
      expect(rig.desk.problem).toBeNull();
      expect(rig.book.positions).toMatchObject([{ volume: 0.1 }]);
    });

    it("stays open, and is a problem, when it may be anywhere in the broker's books", async () => {
      await setBack(60 * minuteMs, 'lost-before');
      expect(rig.rejects).toEqual([]);
      expect(rig.desk.inFlight).toBe(1);
      expect(rig.desk.problem).toContain('the clock was set back');
    });
  });

  describe.each(['has forgotten it', 'has lost its journal'])('when the gateway %s', (what) => {
    beforeEach(() => {
      if (what === 'has lost its journal') forgets = () => gateway.loseJournal();
    });

    it('is done when the broker shows the close, which is not sent again', async () => {
      await time.inTime(rig.buy());
      await overTheWeekend('/close_position', 'lost-after', () => rig.close(ticket(), 0.04));
      expect(gateway.positions).toMatchObject([{ volume: 0.06 }]);
      expect(sent('/close_position')).toHaveLength(1);
      expect(rig.book.positions).toMatchObject([{ volume: 0.06 }]);
      expect(rig.rejects).toEqual([]);
      expect(rig.desk).toMatchObject({ inFlight: 0, problem: null });
    });

    it('is a problem when the broker shows no close: days later nothing is closed unasked', async () => {
      await time.inTime(rig.buy());
      await overTheWeekend('/close_position', 'lost-before', () => rig.close(ticket(), 0.04));
      expect(gateway.positions).toMatchObject([{ volume: 0.1 }]);
      expect(sent('/close_position')).toHaveLength(1);
      expect(rig.rejects).toMatchObject([{ intentId: 'c1', kind: 'rejected' }]);
      expect(rig.desk.problem).toContain('the broker shows no close of it');
    });

    it('is not taken for the close before it, of the same volume', async () => {
      await time.inTime(rig.buy());
      await time.inTime(rig.close(ticket(), 0.04));
      await overTheWeekend('/close_position', 'lost-before', () => rig.close(ticket(), 0.04, 'c2'));
      expect(gateway.positions).toMatchObject([{ volume: 0.06 }]);
      expect(rig.rejects).toMatchObject([{ intentId: 'c2', kind: 'rejected' }]);
    });

    it('puts no level back', async () => {
      await time.inTime(rig.buy());
      const moved = () => void Object.assign(gateway.positions[0] ?? {}, { sl: 1.08 });
      await overTheWeekend('/modify_sl_tp', 'lost-after', () => rig.protect(ticket(), 1.05), moved);
      expect(gateway.positions).toMatchObject([{ sl: 1.08 }]);
      expect(sent('/modify_sl_tp')).toHaveLength(1);
    });

    it('is done when the level is in force', async () => {
      await time.inTime(rig.buy());
      await overTheWeekend('/modify_sl_tp', 'lost-after', () => rig.protect(ticket(), 1.05));
      expect(sent('/modify_sl_tp')).toHaveLength(1);
      expect(rig.rejects).toEqual([]);
    });

    it('is an entry that was made and closed since, and its result is booked', async () => {
      const stopped = () => gateway.closeAtBroker(ticket(), 4, -50);
      await overTheWeekend('/order', 'lost-after', () => rig.buy(), stopped);
      expect(rig.rejects).toEqual([]);
      expect(rig.fills).toMatchObject([
        { entry: 'in', intentId: 'i1' },
        { entry: 'out', reason: 'sl' },
      ]);
      expect(rig.book.record).toMatchObject({ trades: 2, realized: '-50.71' });
    });

    it('is an entry that was never made when the broker has no order of it', async () => {
      await overTheWeekend('/order', 'lost-before', () => rig.buy());
      expect(sent('/order')).toHaveLength(1);
      expect(rig.rejects).toMatchObject([{ kind: 'rejected', reason: expect.stringContaining('has no order of it') }]);
    });

    it('is not taken for the entry before it, of the same shape', async () => {
      await time.inTime(rig.buy());
      await overTheWeekend(
        '/order',
        'lost-before',
        () => rig.buy(0.1, 'i2'),
        () => gateway.closeAtBroker(ticket(), 4, 5),
      );
      expect(rig.rejects).toMatchObject([{ intentId: 'i2', reason: expect.stringContaining('has no order of it') }]);
      expect(rig.fills).toMatchObject([{ entry: 'out', intentId: null }]);
    });

    it('is no entry that another program made', async () => {
      const other = () => {
        gateway.openAtBroker(8);
        gateway.openAtBroker(7, 0.2);
      };
      await overTheWeekend('/order', 'lost-before', () => rig.buy(), other);
      expect(rig.rejects).toMatchObject([{ kind: 'rejected', reason: expect.stringContaining('has no order of it') }]);
      expect(rig.book.positions).toEqual([]);
    });
  });

  describe('when the gateway knows whose what the broker shows is', () => {
    it('is no entry that stands under another key', async () => {
      const { client } = rig.session;
      const same = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic: 7 } as const;
      await overTheWeekend(
        '/order',
        'lost-before',
        () => rig.buy(),
        () => client.order(same, 'somebody-else'),
      );
      expect(rig.rejects).toMatchObject([{ kind: 'rejected', reason: expect.stringContaining('has no order of it') }]);
    });

    it('is the entry whose deal shows its key, though its order is none of that time', async () => {
      const misses = () => {
        gateway.closeAtBroker(ticket(), 4, -50);
        gateway.pastOrders.length = 0;
      };
      await overTheWeekend('/order', 'lost-after', () => rig.buy(), misses);
      expect(rig.rejects).toEqual([]);
      expect(rig.fills).toMatchObject([{ entry: 'in', intentId: 'i1' }, { entry: 'out' }]);
    });

    it('is no close that another program made', async () => {
      await time.inTime(rig.buy());
      const position = { ticket: ticket(), volume: 0.04 };
      const other = () => rig.session.client.closePosition({ position }, 'somebody-else');
      await overTheWeekend('/close_position', 'lost-before', () => rig.close(ticket(), 0.04), other);
      expect(gateway.positions).toMatchObject([{ volume: 0.06 }]);
      expect(rig.rejects).toMatchObject([{ intentId: 'c1', kind: 'rejected' }]);
      expect(rig.desk.inFlight).toBe(0);
    });

    it('is the entry under its key, of two of its shape', async () => {
      const { client } = rig.session;
      const same = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic: 7 } as const;
      const another = async () => {
        await client.order(same, 'somebody-else');
        while (gateway.positions.length > 0) gateway.closeAtBroker(ticket(), 4, -50);
      };
      await overTheWeekend('/order', 'lost-after', () => rig.buy(), another);
      expect(rig.desk).toMatchObject({ inFlight: 0, problem: null });
      expect(rig.fills).toMatchObject([{ entry: 'in', intentId: 'i1' }, { entry: 'out' }]);
    });
  });
});
