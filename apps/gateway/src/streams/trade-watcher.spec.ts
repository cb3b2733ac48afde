import { OrderType, TradeAction } from '@libs/terminal-client';
import { WatchedAccount } from './testing/watched-account';

const closed = ['order closed', 'deal added', 'position closed'];

describe('the trade events of an account', () => {
  let account: WatchedAccount;

  beforeEach(async () => {
    account = await WatchedAccount.start();
  });

  afterEach(() => account.end());

  it('do not cover positions that existed before the first snapshot', async () => {
    expect(await account.lookShortly()).toEqual([]);
    expect(account.log.lastSeq).toBe(account.log.firstSeq - 1);
  });

  it('take a fifth of the time of a slow terminal, and are polled after five seconds at the latest', async () => {
    // A poll reads the lists, then the history.
    account.readMs = 300;
    await account.poll();
    const polls = async (ms: number): Promise<number> => {
      const before = account.readCount;
      for (let passedMs = 0; passedMs < ms; passedMs += 100) {
        account.clock.advanceSync(100);
        await account.idle();
      }
      return account.readCount - before;
    };
    expect(await polls(2_300)).toBe(0);
    expect(await polls(1_000)).toBe(2);
    account.readMs = 5_000;
    await account.poll();
    expect(await polls(4_900)).toBe(0);
    expect(await polls(1_000)).toBe(2);
  });

  it('report a position opened by hand, with its order and its deal', async () => {
    const ticket = await account.deal('BUY', 0.1, { magic: 7 });
    const events = await account.look();
    expect(events.map(({ event, action }) => `${event} ${action}`)).toEqual([
      'order closed',
      'deal added',
      'position opened',
    ]);
    expect(events.at(-1)).toMatchObject({
      ticket,
      magic: 7,
      symbol: 'EURUSD',
      login: 100_001,
      position: { ticket, volume: 0.1, type_str: 'BUY', time_utc: '2026-01-07T10:00:00.000Z' },
    });
    expect(await account.look()).toEqual([]);
  });

  it('have dense numbers', async () => {
    for (const volume of [0.1, 0.2, 0.3]) await account.deal('BUY', volume);
    const seqs = (await account.look()).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index));
  });

  it('report changed levels, and name them', async () => {
    const ticket = await account.deal('BUY', 0.1);
    await account.look();
    await account.send({ action: TradeAction.SLTP, symbol: 'EURUSD', position: ticket, sl: 0.9, tp: 1.9 });
    expect(await account.look()).toMatchObject([{ event: 'position', action: 'changed', changed: ['sl', 'tp'] }]);
  });

  it('report a partial close and the close of the rest, each with its own deals', async () => {
    const ticket = await account.deal('BUY', 0.3);
    await account.look();
    await account.close(ticket, 0.1);
    const part = (await account.look()).at(-1);
    expect(part).toMatchObject({ action: 'partially_closed', changed: ['volume'], complete: true });
    expect(part?.position?.volume).toBe(0.2);
    expect(part?.deals?.map(({ volume, entry_str }) => [volume, entry_str])).toEqual([[0.1, 'OUT']]);
    await account.close(ticket);
    const rest = (await account.look()).at(-1);
    expect(rest).toMatchObject({ action: 'closed', ticket, complete: true });
    expect(rest?.deals?.map(({ volume }) => volume)).toEqual([0.2]);
  });

  it('report a position that opened and closed between two snapshots', async () => {
    const ticket = await account.deal('SELL', 0.2, { magic: 9 });
    await account.close(ticket);
    const events = await account.look();
    expect(events.map(({ event, action }) => `${event} ${action}`)).toEqual([
      'order closed',
      'order closed',
      'deal added',
      'deal added',
      'position opened',
      'position closed',
    ]);
    expect(events.at(-1)).toMatchObject({ ticket, magic: 9, position: null, complete: true });
    expect(events.at(-1)?.deals).toHaveLength(1);
  });

  it('report a pending order from its placement to its end', async () => {
    const ticket = await account.send({
      ...{ action: TradeAction.PENDING, symbol: 'EURUSD', type: OrderType.BUY_LIMIT },
      ...{ volume: 0.1, price: 0.9, type_filling: 2 },
    });
    expect(await account.lookShortly()).toEqual(['order opened BUY_LIMIT']);
    await account.send({ action: TradeAction.MODIFY, symbol: 'EURUSD', order: ticket, price: 0.91 });
    expect(await account.look()).toMatchObject([{ event: 'order', action: 'changed', changed: ['price_open'] }]);
    await account.send({ action: TradeAction.REMOVE, order: ticket });
    const end = await account.look();
    expect(end).toMatchObject([{ action: 'closed', complete: true, order: { ticket, state_str: 'CANCELED' } }]);
  });

  it('are none while the terminal cannot be read: a failed list is not an empty one', async () => {
    await account.deal('BUY', 0.1);
    await account.look();
    account.simulator.faults.set({ kind: 'failed-reads', methods: ['positionsGet'] });
    expect(await account.look(60_000)).toEqual([]);
    account.simulator.faults.set({ kind: 'failed-reads', methods: ['historyDealsGet'] });
    expect(await account.look(60_000)).toEqual([]);
    account.simulator.faults.clear();
    expect(await account.look(60_000)).toEqual([]);
    expect(account.problems).toHaveLength(1);
  });

  it('come from a session: a look that outlives its own explains nothing', async () => {
    const state = (): string => account.evidence.status.state;
    account.afterRead = () => {
      account.disconnect();
      return Promise.resolve();
    };
    await account.deal('BUY', 0.1);
    await account.poll();
    expect(state()).toBe('unread');
    account.afterRead = null;
    await account.connect();
    expect(state()).toBe('explained');
  });

  it('have what was there when a look was asked for anew, also while another one is under way', async () => {
    await account.look();
    const before = account.log.lastSeq;
    let anew: Promise<unknown> = Promise.resolve();
    account.afterRead = async () => {
      account.afterRead = null;
      await account.deal('BUY', 0.1);
      anew = account.evidence.lookAnew();
    };
    await account.poll();
    await anew;
    expect(account.log.after(before, 10).map(({ event }) => event)).toEqual(['order', 'deal', 'position']);
  });

  it('do not count from a balance that was shown before its deals', async () => {
    const ticket = await account.deal('BUY', 0.2);
    await account.close(ticket, 0.1);
    account.simulator.faults.set({ kind: 'history-lacks', what: 'deals' });
    await account.look();
    expect(account.evidence.status.state).toBe('unexplained');
    account.simulator.faults.clear();
    await account.look();
    expect(account.evidence.status).toMatchObject({ state: 'explained', unexplained: [] });
  });

  it('wait for the deals before they report a position closed', async () => {
    const ticket = await account.deal('BUY', 0.1);
    await account.look();
    account.simulator.faults.set({ kind: 'lag', ms: 10_000, lists: ['deals'] });
    await account.close(ticket);
    expect(await account.lookShortly(5_000)).toEqual([]);
    const events = await account.look(10_000);
    expect(events.map(({ event, action }) => `${event} ${action}`)).toEqual(closed);
    expect(events.at(-1)).toMatchObject({ complete: true });
  });

  it('report, with the opening, what a position lost before the list showed it', async () => {
    account.simulator.faults.set({ kind: 'lag', ms: 5_000, lists: ['positions'] });
    const ticket = await account.deal('BUY', 0.3);
    account.simulator.faults.clear();
    await account.close(ticket, 0.1);
    account.simulator.faults.set({ kind: 'lag', ms: 5_000, lists: ['positions'] });
    expect((await account.look(2_000)).filter(({ event }) => event === 'position')).toEqual([]);
    const opened = (await account.look(10_000)).at(-1);
    expect(opened).toMatchObject({ event: 'position', action: 'opened', ticket, position: { volume: 0.2 } });
    expect(opened?.deals?.map(({ volume }) => volume)).toEqual([0.1]);
  });

  it('report no close as long as no deal explains it, however long that takes', async () => {
    const ticket = await account.deal('BUY', 0.1);
    await account.look();
    account.simulator.faults.set({ kind: 'lag', ms: 600_000, lists: ['deals'] });
    await account.close(ticket);
    expect(await account.lookShortly(300_000)).toEqual([]);
    const late = await account.look(310_000);
    expect(late.map(({ event, action }) => `${event} ${action}`)).toEqual(closed);
    expect(late.at(-1)).toMatchObject({ ticket, complete: true });
  });
});

describe('trade events over a restart of the gateway', () => {
  let account: WatchedAccount;

  beforeEach(async () => {
    account = await WatchedAccount.start();
  });

  afterEach(() => account.end());

  it('report changes during the downtime once, and nothing that was reported before', async () => {
    const closed = await account.deal('BUY', 0.1);
    const kept = await account.deal('SELL', 0.2);
    await account.look();
    await account.goAway();
    await account.close(closed);
    const opened = await account.deal('BUY', 0.3);
    account.clock.advanceSync(3_600_000);
    const before = account.log.lastSeq;
    await account.comeBack();
    const events = account.log.after(before, 100);
    expect(events.filter(({ event }) => event === 'position').map(({ action, ticket }) => [action, ticket])).toEqual([
      ['closed', closed],
      ['opened', opened],
    ]);
    expect(events.filter(({ event }) => event === 'deal')).toHaveLength(2);
    expect(await account.look()).toEqual([]);
    expect(kept).toBeGreaterThan(closed);
  });

  it('find an order placed and cancelled between two reads', async () => {
    await account.goAway();
    const fields = { symbol: 'EURUSD', type: OrderType.SELL_LIMIT, volume: 0.1, price: 1.9, type_filling: 2 };
    const order = await account.send({ action: TradeAction.PENDING, ...fields });
    await account.send({ action: TradeAction.REMOVE, order });
    const before = account.log.lastSeq;
    await account.comeBack();
    expect(account.log.after(before, 10).map(({ event, action, ticket }) => [event, action, ticket])).toEqual([
      ['order', 'opened', order],
      ['order', 'closed', order],
    ]);
  });

  it('drop the oldest events beyond the retention, and report that', async () => {
    await account.end();
    account = await WatchedAccount.start({}, 5);
    const before = account.log.lastSeq;
    await account.deal('BUY', 0.1);
    await account.look();
    expect(account.log.reachesBackTo(before)).toBe(true);
    await account.deal('BUY', 0.1);
    await account.look();
    expect(account.log.reachesBackTo(before)).toBe(false);
    expect(account.log.after(before, 100)).toHaveLength(5);
    expect(account.log.lastSeq - account.log.firstSeq).toBe(4);
    // A number that is not given yet is of a log that was lost.
    const last = account.log.lastSeq;
    expect([last, last + 1].map((seq) => account.log.reachesBackTo(seq))).toEqual([true, false]);
  });
});

describe('trade events when another account replaces this one', () => {
  it('do not treat its lists as changes of this one, and report that earlier events belong to another account', async () => {
    const account = await WatchedAccount.start();
    await account.deal('BUY', 0.1);
    await account.look();
    account.simulator.faults.set({ kind: 'other-account', login: 555 });
    await account.terminal.connect();
    const before = account.log.lastSeq;
    expect(await account.look(60_000)).toEqual([]);
    await account.connect();
    const events = account.log.after(before, 10);
    await account.end();
    expect(events).toMatchObject([{ event: 'resync', action: 'account_changed', login: 555 }]);
  });
});

describe('trade events on a netting account', () => {
  it('report a reversal as a change of the position, with its deal', async () => {
    const account = await WatchedAccount.start({ marginMode: 'netting' });
    await account.deal('BUY', 0.1);
    await account.look();
    await account.deal('SELL', 0.3);
    const events = await account.look();
    await account.end();
    expect(events.at(-1)).toMatchObject({
      event: 'position',
      action: 'changed',
      position: { type_str: 'SELL', volume: 0.2 },
      complete: true,
    });
    expect(events.at(-1)?.changed).toEqual(expect.arrayContaining(['type', 'volume']));
    expect(events.at(-1)?.deals).toMatchObject([{ entry_str: 'INOUT', volume: 0.3 }]);
  });
});
