import type { Clockwork } from '../testing/clockwork';
import type { ContractGateway, Fault } from '../testing/contract-gateway';
import { DeskWorld } from '../testing/desk-world';

const away = { status: 503, body: { ok: false, error: 'away', error_type: 'terminal_unavailable' } };

describe('a request whose outcome cannot be resolved', () => {
  let world: DeskWorld;
  let gateway: ContractGateway;
  let time: Clockwork;

  beforeEach(async () => {
    world = await DeskWorld.start();
    ({ gateway, time } = world);
  });
  afterEach(() => world.end());

  describe('when the gateway lost its journal', () => {
    const lost = () => gateway.loseJournal();
    const isHeld = async () => {
      await world.minutesPass(5);
      expect(world.rig.desk).toMatchObject({ inFlight: 1, unknown: 0 });
      const [open] = world.rig.store.openIntents('ema');
      expect(world.rig.desk.problem).toContain(`request ${open?.key} on demo`);
      expect(world.rig.desk.problem).toContain(
        'another trade journal (journal-1+) than when the request was sent (journal-1)',
      );
      expect(world.rig.desk.problem).toContain('settle');
      expect(world.rig.rejects).toEqual([]);
      expect(gateway.voids.size).toBe(0);
    };

    it.each<Fault>(['lost-before', 'lost-after'])('is an entry that is held and not resent: %s', async (fault) => {
      await world.overTheWeekend('/order', fault, () => world.rig.buy(), lost);
      await isHeld();
      expect(world.sent('/order')).toHaveLength(1);
      // Nothing else is entered meanwhile.
      await time.inTime(world.rig.buy(0.1, 'i2'));
      expect(world.sent('/order')).toHaveLength(1);
    });

    it.each<Fault>(['lost-before', 'lost-after'])('is a close that is held and not resent: %s', async (fault) => {
      await time.inTime(world.rig.buy());
      await world.overTheWeekend('/close_position', fault, () => world.rig.close(world.ticket, 0.04), lost);
      await isHeld();
      expect(world.sent('/close_position')).toHaveLength(1);
      // Another close of the whole position passes.
      await time.inTime(world.rig.close(world.ticket, null, 'c2'));
      expect(gateway.positions).toEqual([]);
    });

    it('is held also when the journal is lost between the void and its proof', async () => {
      gateway.always = away;
      await time.inTime(world.rig.buy());
      await time.inTime(world.rig.account.halt('persistent', 'by hand'));
      gateway.onVoid = () => gateway.loseJournal();
      gateway.always = null;
      await world.settled();
      expect(world.rig.desk.inFlight).toBe(1);
      expect(world.rig.desk.problem).toContain('another trade journal');
      expect(world.rig.rejects).toEqual([]);
    });

    it('is held while the gateway reports that its journal is lost', async () => {
      const says = () => {
        gateway.journalHealth = { ...gateway.journalHealth, state: 'lost', reason: 'an older copy' };
      };
      await world.overTheWeekend('/order', 'lost-before', () => world.rig.buy(), says);
      expect(world.rig.desk.problem).toContain('the trade journal of the gateway was lost');
      expect(world.rig.desk.inFlight).toBe(1);
    });

    it.each([999, null])(
      'is not held for the journal of a gateway with account %p behind the address',
      async (login) => {
        await world.rig.session.verify();
        const { journalHealth } = gateway;
        gateway.always = away;
        await time.inTime(world.rig.buy());
        await time.inTime(world.rig.account.halt('persistent', 'by hand'));
        gateway.journalHealth = { ...journalHealth, id: 'of-another' };
        Object.assign(gateway.account, { login });
        let checks = 0;
        gateway.onRead = (route) => (checks += route === 'health' ? 1 : 0);
        gateway.always = null;
        await time.until(() => checks === 3 || world.rig.desk.problem !== null);
        expect(world.rig.desk).toMatchObject({ inFlight: 1, problem: null });
        expect(gateway.voids.size).toBe(0);
        gateway.journalHealth = journalHealth;
        Object.assign(gateway.account, { login: 100_001 });
        await world.settled();
        expect(world.rig.desk).toMatchObject({ inFlight: 0, problem: null });
        expect(world.rig.rejects).toMatchObject([{ intentId: 'i1', kind: 'rejected' }]);
      },
    );

    it.each([
      ['an entry that never arrived', 'lost-before', () => world.rig.rejects.map(({ kind }) => kind), ['rejected']],
      ['an entry that was done', 'lost-after', () => world.rig.fills.map(({ entry }) => entry), ['in']],
    ] as const)('goes on while the daemon runs when the operator puts the journal back: %s', async (...of) => {
      const [, fault, effect, expected] = of;
      let putBack: () => void = () => undefined;
      const losing = () => (putBack = gateway.loseJournal());
      await world.overTheWeekend('/order', fault, () => world.rig.buy(), losing);
      await isHeld();
      putBack();
      await time.until(() => world.rig.desk.inFlight === 0);
      expect(world.rig.desk.problem).toBeNull();
      expect(effect()).toEqual(expected);
      expect(world.sent('/order')).toHaveLength(1);
    });

    it('continues when the gateway reports that its journal is no longer lost', async () => {
      const { journalHealth } = gateway;
      await world.overTheWeekend(
        '/order',
        'lost-before',
        () => world.rig.buy(),
        () => {
          gateway.journalHealth = { ...journalHealth, state: 'lost', reason: 'an older copy' };
        },
      );
      await world.minutesPass(2);
      expect(world.rig.desk).toMatchObject({ inFlight: 1, unknown: 0 });
      gateway.journalHealth = journalHealth;
      await time.until(() => world.rig.desk.inFlight === 0);
      expect(world.rig.desk.problem).toBeNull();
      expect(world.sent('/order')).toHaveLength(1);
    });

    it('can be settled while it is checked again', async () => {
      await world.overTheWeekend('/order', 'lost-before', () => world.rig.buy(), lost);
      await isHeld();
      let checked: () => void = () => undefined;
      const isChecked = new Promise<void>((resolve) => (checked = resolve));
      gateway.beforeAnswer = ({ pathname }) => (pathname === '/health' ? isChecked : Promise.resolve());
      await world.minutesPass(1);
      const [open] = world.rig.store.openIntents('ema');
      const settling = world.rig.desk.settle(open?.key ?? '', null);
      await time.run(1_000);
      gateway.beforeAnswer = () => Promise.resolve();
      checked();
      await time.inTime(settling);
      await world.minutesPass(2);
      expect(world.rig.desk).toMatchObject({ inFlight: 0, problem: null, counts: { rejected: 1 } });
      expect(world.rig.rejects).toHaveLength(1);
    });

    it('continues with the next start of the daemon after the operator has restored the journal', async () => {
      const { journalHealth } = gateway;
      await world.overTheWeekend('/order', 'lost-before', () => world.rig.buy(), lost);
      await isHeld();
      await world.rig.stop();
      gateway.journalHealth = journalHealth;
      await world.startAgain();
      expect(world.rig.desk).toMatchObject({ inFlight: 0, problem: null });
      expect(world.rig.rejects).toMatchObject([{ intentId: 'i1', kind: 'rejected' }]);
    });
  });

  it('is a problem when the gateway cannot determine its outcome either', async () => {
    gateway.undecidable = '/modify_sl_tp';
    await time.inTime(world.rig.buy());
    await time.inTime(world.rig.protect(world.ticket, 1.05));
    await world.settled();
    expect(world.rig.desk).toMatchObject({ inFlight: 1, unknown: 0 });
    expect(world.rig.desk.problem).toContain('the gateway cannot determine its outcome');
  });

  it('continues when the gateway has determined an outcome that it could not determine before', async () => {
    gateway.undecidable = '/modify_sl_tp';
    await time.inTime(world.rig.buy());
    await time.inTime(world.rig.protect(world.ticket, 1.05));
    await world.settled();
    gateway.find(world.sent('/modify_sl_tp')[0]?.key ?? '');
    await time.until(() => world.rig.desk.inFlight === 0);
    expect(world.rig.desk).toMatchObject({ problem: null, counts: { submitted: 2, rejected: 0 } });
    expect(world.sent('/modify_sl_tp')).toHaveLength(1);
  });

  it('continues when its gateway is configured again', async () => {
    await time.inTime(world.rig.buy());
    gateway.faults.push({ path: '/close_position', fault: 'lost-after' });
    gateway.onRead = (route) => {
      if (route === 'health' && world.sent('/close_position').length > 0) world.rig.configured = false;
    };
    await time.inTime(world.rig.close(world.ticket));
    await world.settled();
    gateway.onRead = () => undefined;
    expect(world.rig.desk.problem).toContain('gateway demo is not configured');
    await world.minutesPass(1);
    world.rig.configured = true;
    await time.until(() => world.rig.desk.inFlight === 0);
    expect(world.rig.desk.problem).toBeNull();
    expect(world.rig.fills.at(-1)).toMatchObject({ entry: 'out', intentId: 'c1' });
  });
});
