import { TradeAction } from '@libs/terminal-client';
import { AskBook } from './asks';
import { account, SimulatedBroker } from './broker';
import { Judge } from './judge';
import type { SendRecord } from './sends';
import { change, send } from './testing/sample';
import { VirtualTime } from './virtual-time';

const limits = {
  ...{ symbols: ['EURUSD'], mostOrderVolume: 1, mostOpenVolume: 5, mostOpenVolumePerSymbol: 5 },
  ...{ mostPerMinute: 60, mostDailyLoss: 9 },
};

/** A judge of a gateway that has just read its account, and an operator who has all positions closed. */
async function whileFlattening(sent: SendRecord): Promise<string | undefined> {
  const time = new VirtualTime(Date.UTC(2026, 0, 7, 10));
  const broker = new SimulatedBroker(time, 1);
  await broker.start();
  const judge = new Judge({
    ...{ time, broker, book: new AskBook(), sends: [], login: account.login, limits },
    journaled: new Map([['id/0', 0]]),
    ...{ hasLostLines: () => false, mayLoseExits: () => false, diskCallMs: () => 0 },
    ...{ unwritableSince: () => null, unreachableSince: () => null, listsLateMs: () => 0, isClockOff: () => false },
  });
  judge.isFlattening = true;
  judge.accounts.read(1, account.login);
  judge.sending({ ...sent, atMs: time.elapsedMs });
  return judge.violation?.invariant;
}

describe('what a flattening may send', () => {
  it('is what closes positions and cancels orders', async () => {
    expect(await whileFlattening(send({ request: { position: 5 } }))).toBeUndefined();
    expect(await whileFlattening(send({ request: { action: TradeAction.REMOVE, order: 5 } }))).toBeUndefined();
  });

  it('is neither an entry nor a change of levels', async () => {
    expect(await whileFlattening(send())).toBe('nothing is sent that was not asked for');
    expect(await whileFlattening(send({ request: { action: TradeAction.PENDING } }))).toBe(
      'nothing is sent that was not asked for',
    );
    expect(await whileFlattening(change())).toBe('nothing is sent that was not asked for');
  });
});
