import type { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import type { Fault } from '@libs/simulator';
import { type RudeAnswer, RudeGateway } from './testing/rude-gateway';

const disk = (clock: VirtualClock) => new SimulatedDisk(clock, () => 0.5).view;
let rude: RudeGateway;
afterEach(() => rude.stop());

const order = { symbol: 'EURUSD', type: 'BUY', volume: 0.1, magic: 7 };

describe('a broker that replaces an order that is changed', () => {
  it('is answered with the ticket of the new order, under which it can be cancelled', async () => {
    rude = await RudeGateway.start(disk);
    const ticket = await rude.buy({ type: 'BUY_LIMIT', price: 1 });
    rude.simulator.faults.set({ kind: 'replaced-orders' });
    const { status, body } = await rude.send('PUT', `/orders/${ticket}`, { price: 0.91 });
    const [successor] = rude.simulator.direct().ordersGet();
    expect([status, body.ticket, body.price]).toEqual([200, successor?.ticket, 0.91]);
    expect(successor?.ticket).not.toBe(ticket);
    expect(await rude.send('DELETE', `/orders/${String(body.ticket)}`, {})).toMatchObject({ status: 200 });
    expect(rude.simulator.direct().ordersGet()).toEqual([]);
  });
});

/** Habits of terminals and brokers, and when they begin: before the requests, or once the broker has executed them. */
const rudeness: Readonly<Record<string, { readonly from: 'before' | 'after'; readonly habits: readonly Fault[] }>> = {
  'lists are empty': { from: 'after', habits: [{ kind: 'lists-not-loaded', shows: 'empty' }] },
  'half of the positions is not loaded': {
    from: 'after',
    habits: [{ kind: 'lists-not-loaded', shows: 'half', lists: ['positions'] }],
  },
  'the history is not loaded': { from: 'after', habits: [{ kind: 'history-lacks', what: 'all' }] },
  'the history has no orders': { from: 'after', habits: [{ kind: 'history-lacks', what: 'orders' }] },
  'the history has no deals': { from: 'after', habits: [{ kind: 'history-lacks', what: 'deals' }] },
  'the history has a gap': { from: 'after', habits: [{ kind: 'history-gap', seconds: 3_600 }] },
  'lists are late': {
    from: 'before',
    habits: [{ kind: 'late-lists', positionsMs: 9_000, ordersMs: 4_000, historyOrdersMs: 6_000, dealsMs: 2_000 }],
  },
  'the clock of trades is behind': { from: 'before', habits: [{ kind: 'trade-clock', seconds: -3 }] },
  'the broker moves levels': { from: 'before', habits: [{ kind: 'levels', points: 30, moved: true }] },
  'the broker replaces orders that are changed': { from: 'before', habits: [{ kind: 'replaced-orders' }] },
  'everything has noise, twice and in another order': {
    from: 'before',
    habits: [{ kind: 'float-noise' }, { kind: 'rows-twice' }, { kind: 'rows-reversed' }],
  },
  'nothing carries its marks': {
    from: 'before',
    habits: [{ kind: 'comments', to: 'broker' }, { kind: 'magic-zero' }, { kind: 'reasons', reason: 0 }],
  },
  'comments are cut, levels rounded, and lists late': {
    from: 'before',
    habits: [
      { kind: 'comments', to: 'cut' },
      { kind: 'magic-zero', fills: true },
      { kind: 'levels', points: 10 },
      { kind: 'late-lists', positionsMs: 1_000, dealsMs: 3_000 },
      { kind: 'replaced-orders' },
      { kind: 'trade-clock', seconds: -5 },
    ],
  },
};

/** What tells a client that nothing was done: it may not be said of what was done. */
const isDenial = ({ status, body }: RudeAnswer): boolean =>
  status >= 400 && status < 500 && body.error_type !== 'idempotency_in_progress';

describe.each(['hedging', 'netting'] as const)('lost answers on a %s account', (marginMode) => {
  it.each(Object.entries(rudeness))('are never denied for what was done, while %s', async (_name, { from, habits }) => {
    rude = await RudeGateway.start(disk, {}, { marginMode });
    const [whole, part, held] = [
      await rude.buy(),
      await rude.buy({ symbol: 'GBPUSD' }),
      await rude.buy({ symbol: 'AUDUSD' }),
    ];
    const resting = { ...order, type: 'BUY_LIMIT', price: 1 };
    const [changed, cancelled] = [await rude.buy(resting), await rude.buy({ ...resting, price: 0.91 })];
    await rude.clock.sleep(5_000);
    const begin = (): void => habits.forEach((habit) => rude.simulator.faults.set(habit));
    if (from === 'before') begin();
    await rude.clock.sleep(3_000);
    rude.simulator.faults.set({ kind: 'lose-answer', times: 7 });
    const requests = [
      ['POST', '/order', { ...order, symbol: 'USDJPY' }],
      ['POST', '/close_position', { position: { ticket: whole } }],
      ['POST', '/close_position', { position: { ticket: part }, volume: 0.04 }],
      ['POST', '/modify_sl_tp', { position: held, sl: 0.5 }],
      ['POST', '/order', { ...resting, price: 0.92 }],
      ['PUT', `/orders/${changed}`, { price: 0.88 }],
      ['DELETE', `/orders/${cancelled}`, {}],
    ] as const;
    const ask = () =>
      Promise.all(requests.map(([method, url, payload], index) => rude.send(method, url, payload, `key-${index}`)));
    const sent = ask();
    await rude.clock.sleep(1_000);
    if (from === 'after') begin();
    await sent;
    await rude.clock.sleep(150_000);
    const answers = await ask();
    const { positions, orders } = rude.simulator.terminal.brokerNow().book;
    expect([...positions.values()].map(({ symbol, volume }) => `${symbol} ${volume}`).sort()).toEqual([
      'AUDUSD 0.1',
      'GBPUSD 0.06',
      'USDJPY 0.1',
    ]);
    expect([...orders.values()].map(({ price_open }) => price_open).sort()).toEqual([0.88, 0.92]);
    expect(answers.filter(isDenial)).toEqual([]);
  });
});
