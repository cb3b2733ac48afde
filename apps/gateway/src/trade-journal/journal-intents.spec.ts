import { Retcode, type OrderSendResult } from '@libs/terminal-client';
import type { IntentRecord, SettledOutcome } from '../trade-core/journal-records';
import { JournalRig, marketOrder } from './testing/journal-rig';

const bare = (retcode: number): SettledOutcome => {
  const result = { retcode, deal: 0, order: 0, volume: 0, price: 0, bid: 0, ask: 0 } satisfies Partial<OrderSendResult>;
  return {
    kind: 'done',
    source: 'answer',
    result: { ...result, comment: '', request_id: 1, retcode_external: 0 },
  };
};

describe('a send that was acknowledged without a ticket', () => {
  let rig: JournalRig;
  beforeEach(() => {
    rig = new JournalRig();
  });
  afterEach(() => rig.stop());

  async function send(key: string): Promise<IntentRecord> {
    const attempt = rig.begin(key);
    const { intentId } = await rig.journal.record(attempt, marketOrder);
    return attempt.intents.get(intentId) as IntentRecord;
  }
  /** The ids of those that could be confused with a send. */
  const confusable = (other: IntentRecord): string[] =>
    rig.journal.intents.acknowledgedWithoutOrder(other).map(({ id }) => id);

  it('is known as such while its outcome is being written, when it is no longer open', async () => {
    const other = await send('other');
    const attempt = rig.begin('k');
    const { intentId } = await rig.journal.record(attempt, marketOrder);
    const written = rig.journal.settle(attempt, intentId, bare(Retcode.PLACED));
    expect(attempt.openIntents).toEqual([]);
    expect(confusable(other)).toEqual([intentId]);
    await written;
  });

  it.each([
    ['is confused with a send within an hour', 3_599_000, 1],
    ['is not confused with a later send', 3_601_000, 0],
  ])('%s', async (_case, ms, count) => {
    const attempt = rig.begin('k');
    const { intentId } = await rig.journal.record(attempt, marketOrder);
    await rig.journal.settle(attempt, intentId, bare(Retcode.DONE));
    await rig.clock.advance(ms);
    expect(confusable(await send('other'))).toHaveLength(count);
  });

  it('has an order, unlike a close of a position that was already closed', async () => {
    const attempt = rig.begin('k');
    const { intentId } = await rig.journal.record(attempt, { ...marketOrder, purpose: 'close' });
    await rig.journal.settle(attempt, intentId, bare(Retcode.POSITION_CLOSED));
    expect(confusable(await send('other'))).toEqual([]);
  });
});
