import { SystemClock, VirtualClock } from '@libs/clock';
import {
  LinkClient,
  OrderType,
  Retcode,
  type TerminalClient,
  TradeAction,
  type TradeDeal,
  type TradePosition,
  tradeRequest,
} from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { testOptions, TUESDAY } from '../testing/running-simulator';
import { readFaultCommand } from './fault-command';
import { type ServedSimulator, serveSimulator } from './serve-simulator';

const token = 'a token of the test';
const buy = sealRequest(
  'intent',
  tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', type: OrderType.BUY, volume: 0.1 }),
);

describe('a habit that is set in a simulator that is served', () => {
  let served: ServedSimulator;
  let client: LinkClient;

  beforeAll(async () => {
    served = await serveSimulator(testOptions(), { port: 0, token }, new VirtualClock(TUESDAY));
    served.simulator.loginByHand();
    const options = { address: `127.0.0.1:${served.port}`, token, callTimeoutMs: 20_000, tradeTimeoutMs: 20_000 };
    client = new LinkClient(options, new SystemClock());
    await client.connect();
    await client.orderSend(buy);
    await client.orderSend(buy);
  });

  afterEach(() => client.callExtension('sim.clearFaults', []));

  afterAll(async () => {
    await client.shutdown();
    await served.stop();
  });

  async function set(...words: string[]): Promise<void> {
    const { method, params } = readFaultCommand([...words, '--port', String(served.port)]) ?? {};
    await client.callExtension(method ?? '', [...(params ?? [])]);
  }

  it.each([
    ['server-lost'],
    ['frozen-account'],
    ['lists-not-loaded half --ms 500'],
    ['session-start parts 60000'],
    ['late-lists --positions-ms 500'],
    ['history-lacks deals'],
    ['history-gap 60'],
    ['magic-zero --fills'],
    ['comments EA'],
    ['trade-clock -3600'],
    ['reasons 1'],
    ['magic-zero'],
    ['float-noise'],
    ['rows-twice'],
    ['rows-reversed'],
  ])('shows over the link as in the process: %s', async (words) => {
    const inProcess = served.simulator.connect();
    await inProcess.connect();
    await set(...words.split(' '));
    expect(await shownBy(client)).toEqual(await shownBy(inProcess));
    await inProcess.shutdown();
  });

  it('answers a send without a server with 10031', async () => {
    await set('server-lost');
    expect(await client.orderSend(buy)).toMatchObject({
      kind: 'answered',
      result: { retcode: Retcode.CONNECTION, comment: 'No connection' },
    });
    expect(await client.terminalInfo()).toMatchObject({ connected: false });
  });

  it('changes the rows that a client reads', async () => {
    await set('comments', 'EA');
    await set('rows-twice');
    const { positions, deals } = await shownBy(client);
    expect(positions.map(({ comment }) => comment)).toEqual(['EA', 'EA', 'EA', 'EA']);
    expect(deals).toHaveLength(6);
  });
});

async function shownBy(client: TerminalClient): Promise<{ positions: TradePosition[]; deals: TradeDeal[] }> {
  return { positions: await client.positionsGet(), deals: await client.historyDealsGet({ from: 0, to: 1e11 }) };
}
