import { OrderType, TradeAction, tradeRequest, type TradeRequest } from '@libs/terminal-client';
import { sealRequest } from '@libs/terminal-client/sealing';
import { ChaosBroker } from '../chaos/chaos-broker';
import { ChaosGateway } from '../chaos/chaos-gateway';
import { Scratch } from '../e2e/programs/scratch';

interface Event {
  readonly seq: number;
  readonly event: string;
  readonly action: string;
  readonly ticket: number;
  readonly deal?: { readonly ticket: number };
  readonly deals?: readonly { readonly ticket: number }[];
}

interface Page {
  readonly data: readonly Event[];
  readonly resync: boolean;
}

const kills = 8;
const everything = { from: 0, to: 1e11 };

describe('the event log of a gateway that is killed again and again', () => {
  const scratch = new Scratch();
  let broker: ChaosBroker;
  let gateway: ChaosGateway;
  let trades = 0;

  beforeAll(async () => {
    broker = await ChaosBroker.start(scratch);
    gateway = new ChaosGateway(scratch, broker.settings);
    await gateway.start();
  });

  afterAll(() => scratch.clear());

  /** A person trades by hand: opens a position and closes half of it, and opens another one. */
  const tradeByHand = () =>
    broker.look(async (terminal) => {
      const send = async (fields: Partial<TradeRequest>): Promise<number> => {
        const request = tradeRequest({ action: TradeAction.DEAL, symbol: 'EURUSD', ...fields });
        const outcome = await terminal.orderSend(sealRequest(`by-hand-${process.pid}-${trades++}`, request));
        if (outcome.kind !== 'answered' || outcome.result.retcode !== 10_009) throw new Error(JSON.stringify(outcome));
        return outcome.result.order;
      };
      const position = await send({ type: OrderType.BUY, volume: 0.2 });
      await send({ type: OrderType.SELL, volume: 0.1, position });
      await send({ type: OrderType.SELL, volume: 0.1 });
    });
  const events = async (since: number): Promise<readonly Event[]> => {
    const answer = await gateway.call('GET', `/events?limit=1000&since=${since}`);
    return (JSON.parse(answer?.text ?? '{"data":[]}') as Page).data;
  };
  const dealTickets = async (): Promise<number[]> => {
    const deals = await broker.look((terminal) => terminal.historyDealsGet(everything));
    return deals.filter(({ position_id }) => position_id !== 0).map(({ ticket }) => ticket);
  };
  /** Resolves once the gateway has reported the broker's last deal, with the number of the log's last event. */
  const caughtUp = async (): Promise<number> => {
    await tradeByHand();
    const last = (await dealTickets()).at(-1);
    for (;;) {
      const log = await events(0);
      if (log.some(({ deal }) => deal?.ticket === last)) return log.at(-1)?.seq ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  it('delivers every deal once, in one unbroken sequence, whether it happened before, at or after a kill', async () => {
    const since = await caughtUp();
    const before = new Set(await dealTickets());
    const held = new Set((await broker.look((terminal) => terminal.positionsGet())).map(({ ticket }) => ticket));
    for (let round = 0; round < kills; round++) {
      const trading = tradeByHand();
      // Later in each round, so that looks, writes and pauses are all hit.
      await new Promise((resolve) => setTimeout(resolve, round * 40));
      await gateway.kill();
      await trading;
      await tradeByHand();
      await gateway.start();
    }
    await caughtUp();
    const log = await events(since);
    const traded = (await dealTickets()).filter((ticket) => !before.has(ticket));
    expect(log.flatMap(({ deal }) => (deal ? [deal.ticket] : [])).sort()).toEqual([...traded].sort());
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => since + 1 + index));
    const open = (await broker.look((terminal) => terminal.positionsGet())).filter(({ ticket }) => !held.has(ticket));
    const opened = log.filter(({ event, action }) => event === 'position' && action === 'opened');
    expect(opened.map(({ ticket }) => ticket).sort()).toEqual(open.map(({ ticket }) => ticket).sort());
    const reduced = log.flatMap(({ deals: told }) => told ?? []).map(({ ticket }) => ticket);
    expect(reduced).toHaveLength(new Set(reduced).size);
    expect(reduced).toHaveLength(kills * 2 + 1);
    process.stdout.write(`${kills} kills, ${traded.length} deals, ${log.length} events\n`);
  });
});
