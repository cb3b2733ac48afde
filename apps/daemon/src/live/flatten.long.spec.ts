import { Retcode } from '@libs/trade-constants';
import type { Clockwork } from '../testing/clockwork';
import type { ContractGateway } from '../testing/contract-gateway';
import { DeskWorld } from '../testing/desk-world';

const away = { status: 503, body: { ok: false, error: 'away', error_type: 'terminal_unavailable' } };

describe('a strategy that the operator flattens', () => {
  let world: DeskWorld;
  let gateway: ContractGateway;
  let time: Clockwork;

  beforeEach(async () => {
    world = await DeskWorld.start();
    ({ gateway, time } = world);
  });
  afterEach(() => world.end());

  const flatten = () => time.inTime(world.rig.account.halt('persistent', 'by the operator', true));
  const look = () => time.inTime(world.rig.sync.now());
  const untilFlat = async (): Promise<void> => {
    while (gateway.positions.length > 0 || world.rig.desk.inFlight > 0) {
      await look();
      await time.run(1_000);
    }
  };
  const closes = () => world.sent('/close_position');

  it('has each position closed by one request, and enters nothing after that', async () => {
    await time.inTime(world.rig.buy());
    await time.inTime(world.rig.buy(0.2, 'i2'));
    await flatten();
    await untilFlat();
    await look();
    expect(closes()).toHaveLength(2);
    await time.inTime(world.rig.buy(0.1, 'i3'));
    expect(world.rig.rejects).toMatchObject([{ intentId: 'i3', kind: 'denied', reason: 'halted: by the operator' }]);
    expect(world.rig.fills.filter(({ entry }) => entry === 'out').map(({ intentId }) => intentId)).toEqual([
      expect.stringMatching(/^flatten-/),
      expect.stringMatching(/^flatten-/),
    ]);
  });

  it('has them closed after a restart in between', async () => {
    await time.inTime(world.rig.buy());
    await flatten();
    await world.rig.stop();
    expect(closes()).toEqual([]);
    await world.startAgain();
    await untilFlat();
    expect(closes()).toHaveLength(1);
    expect(world.rig.book.record.halt).toMatchObject({ flattens: true });
  });

  it.each(['lost-before', 'lost-after', 'unknown-after'] as const)(
    'has a position closed once when the outcome of its close is %s',
    async (fault) => {
      await time.inTime(world.rig.buy());
      await flatten();
      gateway.faults.push({ path: '/close_position', fault });
      await untilFlat();
      expect(new Set(closes().map(({ key }) => key)).size).toBe(1);
      expect(gateway.deals.filter(({ entry }) => entry === 1)).toHaveLength(1);
    },
  );

  it('has a position closed that an entry in flight turns out to have opened', async () => {
    gateway.faults.push({ path: '/order', fault: 'lost-after' });
    const buying = world.rig.buy();
    await time.until(() => gateway.positions.length === 1);
    gateway.always = away;
    await time.inTime(buying);
    await flatten();
    gateway.always = null;
    await untilFlat();
    expect([world.sent('/order').length, closes().length]).toEqual([1, 1]);
  });

  it('has a close that failed for good repeated, and not with each read of the account', async () => {
    await time.inTime(world.rig.buy());
    gateway.refusal = { path: '/close_position', retcode: Retcode.TRADE_DISABLED, times: 1 };
    await flatten();
    for (let looks = 0; looks < 5; looks++) {
      await look();
      await time.run(1_000);
    }
    expect(closes()).toHaveLength(1);
    expect(world.rig.desk.problem).toMatch(/could not be closed/);
    await time.run(30_000);
    await untilFlat();
    expect(closes()).toHaveLength(2);
    expect(world.rig.desk.problem).toBeNull();
  });

  describe('while its gateway refuses the list of positions', () => {
    const looks = async (count: number): Promise<void> => {
      for (let made = 0; made < count; made++) {
        await look();
        await time.run(1_000);
      }
    };

    it('has what its books hold closed once by its ticket, and is flat only after a list was read', async () => {
      await time.inTime(world.rig.buy());
      await time.inTime(world.rig.buy(0.2, 'i2'));
      const tickets = gateway.positions.map(({ ticket }) => ticket);
      gateway.hidesLists = true;
      await flatten();
      await looks(10);
      expect(closes().map(({ body }) => body['position'])).toEqual(tickets.map((ticket) => ({ ticket })));
      expect(world.rig.book.openTickets).toHaveLength(2);
      gateway.hidesLists = false;
      await looks(2);
      expect([closes().length, world.rig.book.openTickets.length]).toEqual([2, 0]);
    });

    it('has it closed also if the daemon has started since, and no list was read', async () => {
      await time.inTime(world.rig.buy());
      await flatten();
      await world.rig.stop();
      gateway.hidesLists = true;
      await world.startAgain();
      await looks(10);
      expect([closes().length, gateway.positions.length]).toEqual([1, 0]);
      gateway.hidesLists = false;
      await looks(2);
      expect([closes().length, world.rig.book.openTickets.length]).toEqual([1, 0]);
    });

    it.each([
      ['as soon as the outcome is on disk', 0],
      ['some time after that', 5],
    ])('has it closed once over restarts before a list was read, %s', async (_when, count) => {
      await time.inTime(world.rig.buy());
      gateway.hidesLists = true;
      await flatten();
      void world.rig.sync.now();
      await time.until(() => world.rig.store.intents('ema').some(({ ticket, state }) => ticket && state === 'done'));
      await looks(count);
      for (let starts = 0; starts < 2; starts++) {
        await world.rig.stop();
        await world.startAgain();
        await looks(5);
      }
      expect([closes().length, world.rig.book.openTickets.length]).toEqual([1, 1]);
      gateway.hidesLists = false;
      await looks(2);
      expect([closes().length, world.rig.book.openTickets.length]).toEqual([1, 0]);
    });

    it('has the rest of it closed after a restart: at once if the books have the closed part, else after a list was read', async () => {
      await time.inTime(world.rig.buy(0.3));
      const { ticket } = world;
      await time.inTime(world.rig.close(ticket, 0.1));
      await world.rig.stop();
      gateway.hidesLists = true;
      await world.startAgain();
      await time.inTime(world.rig.close(ticket, 0.1, 'c2'));
      expect([closes().length, gateway.positions.length]).toEqual([2, 1]);
      await world.rig.stop();
      await world.startAgain();
      await time.inTime(world.rig.close(ticket, 0.1, 'c3'));
      await flatten();
      await looks(5);
      expect([closes().length, gateway.positions.length]).toEqual([2, 1]);
      gateway.hidesLists = false;
      await look();
      gateway.hidesLists = true;
      await world.rig.stop();
      await world.startAgain();
      await looks(5);
      expect([closes().length, gateway.positions.length]).toEqual([3, 0]);
    });

    it('has it closed by the limit of a day as by the operator, and leaves the account alone without a halt that flattens', async () => {
      await time.inTime(world.rig.buy());
      gateway.hidesLists = true;
      await time.inTime(world.rig.account.halt('daily', 'daily loss', false));
      await looks(2);
      expect(closes()).toEqual([]);
      await time.inTime(world.rig.account.halt('daily', 'daily loss', true));
      await looks(5);
      expect(closes()).toHaveLength(1);
    });

    it('has a close repeated that the gateway refuses, and none without an answer of the gateway', async () => {
      await time.inTime(world.rig.buy());
      gateway.always = away;
      await flatten();
      await looks(1);
      gateway.always = null;
      gateway.hidesLists = true;
      gateway.refusal = { path: '/close_position', retcode: Retcode.REQUOTE, times: 2 };
      await looks(30);
      expect(gateway.positions).toEqual([]);
      expect(gateway.deals.filter(({ entry }) => entry === 1)).toHaveLength(1);
    });
  });

  it('is flattened although another halt follows, and no more after resume', async () => {
    await time.inTime(world.rig.buy());
    await flatten();
    await time.inTime(world.rig.account.halt('persistent', '5 handlers threw in a row'));
    expect(world.rig.book.record.halt).toMatchObject({ reason: '5 handlers threw in a row', flattens: true });
    await time.inTime(world.rig.account.resume());
    await look();
    await time.run(1_000);
    expect(closes()).toEqual([]);
    expect(gateway.positions).toHaveLength(1);
  });
});
