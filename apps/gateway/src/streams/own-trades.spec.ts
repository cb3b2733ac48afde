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
    // The three reads before took 15 ms.
    expect(await account.traded()).toBeNull();
    account.readMs = 0;
    account.clock.advanceSync(59);
    expect(account.log.after(account.log.firstSeq - 1, 10)).toHaveLength(3);
    account.clock.advanceSync(1);
    await account.logged(6);
    expect(await account.look()).toEqual([]);
  });
});
