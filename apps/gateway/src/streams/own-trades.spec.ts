import { TradeAction } from '@libs/terminal-client';
import { WatchedAccount } from './testing/watched-account';

describe('the trade events after a trade of the gateway itself', () => {
  let account: WatchedAccount;
  beforeEach(async () => (account = await WatchedAccount.start()));
  afterEach(() => account.end());

  const actions = (events: readonly { event: string; action: string }[] | null): string[] | undefined =>
    events?.map(({ event, action }) => `${event} ${action}`);
  const opened = ['order closed', 'deal added', 'position opened'];

  it('are read at once while they are followed', async () => {
    account.log.follow(() => undefined);
    await account.deal('BUY', 0.1);
    expect(actions(await account.traded())).toEqual(opened);
    expect(await account.look()).toEqual([]);
  });

  it('are read by the tickets of the trade alone', async () => {
    account.log.follow(() => undefined);
    const other = await account.deal('SELL', 0.3);
    const ticket = await account.deal('BUY', 0.2);
    expect(actions(await account.traded({ isWider: false, orders: new Set([ticket]) }))).toEqual(opened);
    await account.send({ action: TradeAction.SLTP, symbol: 'EURUSD', position: ticket, sl: 0.9 });
    const positions = new Set([ticket]);
    expect(actions(await account.traded({ isWider: false, positions }))).toEqual(['position changed']);
    const part = await account.close(ticket, 0.1);
    expect(actions(await account.traded({ isWider: false, positions, orders: new Set([part]) }))).toEqual([
      ...['order closed', 'deal added', 'position partially_closed'],
    ]);
    const rest = await account.close(ticket);
    expect(actions(await account.traded({ isWider: false, positions, orders: new Set([rest]) }))).toEqual([
      ...['order closed', 'deal added', 'position closed'],
    ]);
    expect((await account.look()).map((event) => event.ticket)).toContain(other);
  });

  it('are recorded once if the gateway ends before they are read', async () => {
    account.log.follow(() => undefined);
    await account.deal('BUY', 0.1);
    await account.goAway();
    const before = account.log.lastSeq;
    await account.comeBack();
    expect(actions(account.log.after(before, 10))).toEqual(opened);
    expect(await account.look()).toEqual([]);
  });

  it('are not recorded again by a gateway that ended after it', async () => {
    account.log.follow(() => undefined);
    const ticket = await account.deal('BUY', 0.1);
    expect(actions(await account.traded({ isWider: false, orders: new Set([ticket]) }))).toEqual(opened);
    await account.goAway();
    const before = account.log.lastSeq;
    await account.comeBack();
    expect(account.log.after(before, 10)).toEqual([]);
    expect(await account.look()).toEqual([]);
  });

  it('are left to the next poll without a follower', async () => {
    await account.deal('BUY', 0.1);
    expect(await account.traded()).toBeNull();
    expect(actions(await account.look())).toEqual(opened);
  });

  it('are left to the next session without one', async () => {
    account.log.follow(() => undefined);
    await account.deal('BUY', 0.1);
    account.disconnect();
    expect(await account.traded()).toBeNull();
    await account.connect();
    expect(account.log.lastSeq - account.log.firstSeq + 1).toBe(opened.length);
  });

  it('come from the history if the lists show nothing new', async () => {
    account.log.follow(() => undefined);
    await account.look();
    await account.close(await account.deal('BUY', 0.1));
    expect(actions(await account.traded())).toEqual(expect.arrayContaining(['position opened', 'position closed']));
  });

  it('are read again if the trade occurred during a read', async () => {
    account.log.follow(() => undefined);
    let reads = 0;
    account.afterRead = async () => {
      if (++reads !== 2) return;
      await account.deal('BUY', 0.2);
      expect(await account.traded()).toBeNull();
    };
    await account.deal('BUY', 0.1);
    expect(actions(await account.traded())).toEqual(opened);
    await account.logged(6);
    expect(await account.look()).toEqual([]);
  });

  it('take at most a fifth of the terminal’s time', async () => {
    account.log.follow(() => undefined);
    account.readMs = 5;
    await account.deal('BUY', 0.1);
    expect(actions(await account.traded())).toEqual(opened);
    await account.deal('BUY', 0.2);
    // The two reads before took 10 ms.
    expect(await account.traded()).toBeNull();
    account.readMs = 0;
    account.clock.advanceSync(39);
    expect(account.log.after(account.log.firstSeq - 1, 10)).toHaveLength(3);
    account.clock.advanceSync(1);
    await account.logged(6);
    expect(await account.look()).toEqual([]);
  });
});
