import { OrderType, TradeAction, tradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { AskBook } from './asks';
import { account, SimulatedBroker } from './broker';
import { ask, change, send } from './testing/sample';
import { VirtualTime } from './virtual-time';

const [stop, target, laterTarget] = [0.5, 2, 2.5];

/** A broker with a position whose stop loss and target a client has set, and whose target another one wants to move. */
async function twoWishes() {
  const time = new VirtualTime(Date.UTC(2026, 0, 7, 10));
  const broker = new SimulatedBroker(time, 1);
  await broker.start();
  const session = broker.simulator.connect();
  await session.connect();
  await session.login(account);
  const execute = (request: Parameters<typeof tradeRequest>[0]) => {
    const whole = tradeRequest({ symbol: 'EURUSD', volume: 0.1, ...request });
    return broker.execute(session, sealRequest('id/0', whole), send({ request: whole }), time.elapsedMs);
  };
  const opened = await execute({ action: TradeAction.DEAL, type: OrderType.BUY });
  const position = opened.kind === 'answered' ? opened.result.order : 0;
  const book = new AskBook();
  const wish = (key: string, levels: object) => {
    const variant = { request: { method: 'POST', url: '/modify_sl_tp' }, marker: key, levels } as const;
    book.add(ask({ key, kind: 'levels', ticket: position, variants: [variant] }));
  };
  wish('the target', { tp: laterTarget });
  wish('the stop loss', { sl: stop });
  return { broker, book, position, execute };
}

describe('a change of a position', () => {
  it('belongs to the wish that changes a level, also after the position was closed', async () => {
    const { broker, book, position, execute } = await twoWishes();
    await execute({ action: TradeAction.SLTP, position, sl: stop, tp: target });
    const { request } = change({ request: { position, sl: stop, tp: laterTarget } });
    const owner = () => book.changeBy(request, broker.lastStanding(request));
    expect(owner()).toBe('the target');
    await execute({ action: TradeAction.DEAL, type: OrderType.SELL, position });
    expect(broker.standing(request)).toBeNull();
    expect(owner()).toBe('the target');
  });
});
