import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { TradeJournal } from '../trade-journal/trade-journal';
import { FencedGateway } from './testing/fenced-gateway';

const fencedOut = { status: 412, body: { error_type: 'fenced_out' } };

/** What happens between the steps of a request, on a disk whose writes take as long as the test says. */
describe('a fence that is raised while a request is under way', () => {
  let gateway: FencedGateway<SimulatedDisk>;
  beforeEach(async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
    gateway = new FencedGateway(clock, new SimulatedDisk(clock, () => 0.5));
    await gateway.start();
    await gateway.raise('trend', 7);
  });
  afterEach(() => gateway.stop());

  const journal = (): TradeJournal => gateway.app.get(TradeJournal);
  const until = async (holds: () => boolean): Promise<void> => {
    for (let step = 0; step < 2_000 && !holds(); step++) await gateway.clock.sleep(1);
    expect(holds()).toBe(true);
  };
  const intentWritten = () =>
    until(() =>
      journal()
        .running()
        .some(({ intents }) => intents.size > 0),
    );

  it('refuses a request that had passed the guards, and leaves its key as it is', async () => {
    gateway.disk.setPace({ operationMs: 500 });
    const buying = gateway.buy('trend;7', 'k', { volume: 0.3 });
    await gateway.clock.sleep(20);
    expect(await journal().fences.raise('trend', { token: 8, magics: [] })).toMatchObject({ isNew: true });
    expect(await buying).toMatchObject(fencedOut);
    gateway.disk.setPace({ operationMs: 0 });
    expect(await gateway.buy('trend;8', 'k')).toMatchObject({ status: 200 });
    expect(gateway.sends).toHaveLength(1);
  });

  it('refuses a request whose intent is on disk, right before its send', async () => {
    gateway.disk.setPace({ operationMs: 1_000 });
    const buying = gateway.buy('trend;7', 'k');
    await intentWritten();
    const { fence } = await journal().fences.raise('trend', { token: 8, magics: [] });
    expect(fence.token).toBe(8);
    expect(await buying).toMatchObject(fencedOut);
    expect(gateway.sends).toEqual([]);
    // Nothing was sent, so the same request passes under the newer token.
    expect(await gateway.buy('trend;8', 'k')).toMatchObject({ status: 200 });
    expect(gateway.sends).toHaveLength(1);
  });

  it('holds a send until the raise is on disk', async () => {
    gateway.disk.setPace({ operationMs: 100 });
    const buying = gateway.buy('trend;7', 'k');
    await intentWritten();
    gateway.disk.setPace({ operationMs: 0, commitMs: 3_000 });
    const raising = gateway.raise('trend', 8);
    await gateway.clock.sleep(1_000);
    expect([gateway.sends.length, journal().fences.find('trend')?.token]).toEqual([0, 7]);
    expect(await raising).toMatchObject({ status: 200 });
    expect(await buying).toMatchObject(fencedOut);
    expect(gateway.sends).toEqual([]);
  });

  /** A raise of the fence that fails after it has held the send of `k` for two seconds. */
  const failedRaise = async (meanwhile: () => void = () => undefined) => {
    gateway.disk.setPace({ operationMs: 100 });
    const buying = gateway.buy('trend;7', 'k');
    await intentWritten();
    gateway.disk.setPace({ operationMs: 0, commitMs: 3_000 });
    const raising = gateway.raise('trend', 8);
    await gateway.clock.sleep(1_000);
    expect(gateway.sends).toEqual([]);
    gateway.disk.setFailingSyncs(true);
    meanwhile();
    expect(await raising).toMatchObject({ status: 503, body: { error_type: 'journal_unavailable' } });
    gateway.disk.setFailingSyncs(false);
    return buying;
  };

  it('lets a send pass if the raise cannot be written, and is not raised', async () => {
    expect((await failedRaise()).status).toBe(200);
    expect(journal().fences.find('trend')).toMatchObject({ token: 7, state: 'raised' });
    expect(gateway.sends).toHaveLength(1);
  });

  it('reads the kill switch again after it has held a send', async () => {
    const answer = await failedRaise(() => gateway.disk.makeFolder('/disk/kill-switch'));
    expect(answer).toMatchObject({ status: 423 });
    expect(gateway.sends).toEqual([]);
  });

  it('is written on a full disk, so that another holder can close', async () => {
    gateway.disk.fill();
    expect(await gateway.raise('trend', 8)).toMatchObject({ status: 200 });
    await gateway.crash('power');
    expect(journal().fences.find('trend')).toMatchObject({ token: 8 });
  });

  it('waits until the outcome of a send is on disk', async () => {
    gateway.broker.faults.set({ kind: 'latency', ms: 1_000, calls: 'sends' });
    const buying = gateway.buy('trend;7', 'k');
    await until(() => gateway.sends.length === 1);
    const raising = gateway.raise('trend', 8);
    await until(() => journal().fences.find('trend')?.token === 8);
    gateway.disk.setPace({ commitMs: 2_000 });
    await until(() => gateway.sends[0]?.isAnswered === true);
    let isRaised = false;
    void raising.then(() => (isRaised = true));
    await gateway.clock.sleep(1_000);
    expect([isRaised, journal().fences.find('trend')?.token]).toEqual([false, 8]);
    expect(await raising).toMatchObject({ status: 200 });
    expect(journal().openRequest('k')?.openIntents ?? []).toEqual([]);
    expect((await buying).status).toBe(200);
  });
});
