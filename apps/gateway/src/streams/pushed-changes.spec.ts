import { TradeAction } from '@libs/terminal-client';
import { WatchedAccount } from './testing/watched-account';

const actions = (events: readonly { event: string; action: string }[] | null): string[] | undefined =>
  events?.map(({ event, action }) => `${event} ${action}`);

describe('the trade events of a terminal that reports its changes', () => {
  let account: WatchedAccount;
  beforeEach(async () => {
    account = await WatchedAccount.start({}, 1_000, 'reported');
    account.unfollow = account.log.follow(() => undefined);
    await account.look();
  });
  afterEach(() => account.end());

  it('are recorded at once', async () => {
    const ticket = await account.deal('BUY', 0.1);
    expect(actions(await account.atOnce())).toEqual(['order closed', 'deal added', 'position opened']);
    await account.send({ action: TradeAction.SLTP, symbol: 'EURUSD', position: ticket, sl: 0.9, tp: 1.9 });
    expect(actions(await account.atOnce())).toEqual(['position changed']);
    await account.close(ticket);
    expect(actions(await account.atOnce())).toEqual(['order closed', 'deal added', 'position closed']);
    expect(await account.look()).toEqual([]);
  });

  it('read no list while nothing changes', async () => {
    await account.deal('BUY', 0.1);
    await account.atOnce();
    const before = account.readCount;
    expect(await account.look(10_000)).toEqual([]);
    expect(account.readCount).toBe(before);
  });

  it('are believed only while the terminal has its server, which is asked with each poll of a second', async () => {
    account.unfollow();
    account.probeMs = 5;
    const before = account.probes;
    await account.pollFor(10_000);
    expect(account.probes - before).toBeGreaterThanOrEqual(9);
  });

  it('are found by polls while the lists lag behind what is reported', async () => {
    account.simulator.faults.set({ kind: 'lag', ms: 3_000 });
    await account.deal('BUY', 0.1);
    expect(await account.atOnce()).toEqual([]);
    account.simulator.faults.clear();
    expect(actions(await account.look())).toEqual(['order closed', 'deal added', 'position opened']);
  });

  it('are found by the next poll if the read for a reported change fails', async () => {
    account.simulator.faults.set({ kind: 'failed-reads', methods: ['historyOrdersGet'], times: 1 });
    await account.deal('BUY', 0.1);
    expect(await account.atOnce()).toEqual([]);
    expect(actions(await account.look())).toEqual(['order closed', 'deal added', 'position opened']);
  });

  it('find what changed before the session', async () => {
    account.disconnect();
    await account.deal('BUY', 0.1);
    const before = account.log.lastSeq;
    await account.connect();
    expect(actions(account.log.after(before, 10))).toEqual(['order closed', 'deal added', 'position opened']);
  });
});
