import fc from 'fast-check';
import { OrderType, TradeAction, type TradeOrder, type TradePosition } from '@libs/terminal-client';
import { WatchedAccount } from './testing/watched-account';
import type { TradeEvent } from './trade-event';
import { effort } from '../../../../test/setup/effort';

type Step =
  | { readonly kind: 'deal'; readonly side: 'BUY' | 'SELL'; readonly lots: number }
  | { readonly kind: 'close'; readonly which: number; readonly part: boolean }
  | { readonly kind: 'protect'; readonly which: number }
  | { readonly kind: 'place' }
  | { readonly kind: 'cancel'; readonly which: number }
  | { readonly kind: 'look'; readonly ms: number }
  | { readonly kind: 'restart'; readonly awayMs: number }
  | { readonly kind: 'lag'; readonly list: 'positions' | 'orders' | 'history_orders' | 'deals'; readonly ms: number }
  | { readonly kind: 'failing'; readonly method: 'positionsGet' | 'ordersGet' | 'historyDealsGet' | 'accountInfo' }
  | { readonly kind: 'healed' };

const which = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('deal' as const),
      side: fc.constantFrom('BUY', 'SELL'),
      lots: fc.integer({ min: 2, max: 9 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('close' as const), which, part: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('protect' as const), which }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'place' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('look' as const), ms: fc.constantFrom(250, 1_000, 3_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('restart' as const), awayMs: fc.constantFrom(0, 60_000, 86_400_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('lag' as const),
      list: fc.constantFrom('positions', 'orders', 'history_orders', 'deals'),
      ms: fc.constantFrom(500, 5_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('failing' as const),
      method: fc.constantFrom('positionsGet', 'ordersGet', 'historyDealsGet', 'accountInfo'),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'healed' as const }) },
);

async function take(account: WatchedAccount, step: Step): Promise<void> {
  const { terminal, simulator, clock } = account;
  const allPositions = () => terminal.positionsGet();
  const allOrders = () => terminal.ordersGet();
  switch (step.kind) {
    case 'deal':
      await account.deal(step.side, step.lots / 10);
      break;
    case 'close': {
      const position = await pick(allPositions(), step.which);
      if (position) await account.close(position.ticket, step.part && position.volume > 0.1 ? 0.1 : undefined);
      break;
    }
    case 'protect': {
      const position = await pick(allPositions(), step.which);
      const fields = { symbol: 'EURUSD', position: position?.ticket ?? 0, sl: position?.type === 0 ? 0.5 : 2.5 };
      if (position && position.sl === 0) await account.send({ action: TradeAction.SLTP, ...fields });
      break;
    }
    case 'place': {
      const fields = { symbol: 'EURUSD', type: OrderType.BUY_LIMIT, volume: 0.1, price: 0.5, type_filling: 2 };
      await account.send({ action: TradeAction.PENDING, ...fields });
      break;
    }
    case 'cancel': {
      const order = await pick(allOrders(), step.which);
      if (order) await account.send({ action: TradeAction.REMOVE, order: order.ticket });
      break;
    }
    case 'look':
      await account.look(step.ms);
      break;
    case 'restart':
      await account.goAway();
      clock.advanceSync(step.awayMs);
      simulator.faults.clear();
      await terminal.connect();
      await account.comeBack();
      break;
    case 'lag':
      simulator.faults.set({ kind: 'lag', ms: step.ms, lists: [step.list] });
      break;
    case 'failing':
      simulator.faults.set({ kind: 'failed-reads', methods: [step.method] });
      break;
    case 'healed':
      simulator.faults.clear();
      break;
  }
}

/** Trades outside the gateway, unaffected by the faults of these tests. */
async function elsewhere(account: WatchedAccount, act: () => Promise<void>): Promise<void> {
  const faults = account.simulator.faults.list();
  account.simulator.faults.clear();
  await act();
  for (const fault of faults) account.simulator.faults.set(fault);
}

function isTrade({ kind }: Step): boolean {
  return ['deal', 'close', 'protect', 'place', 'cancel'].includes(kind);
}

async function pick<T>(list: Promise<T[]>, index: number): Promise<T | undefined> {
  const rows = await list;
  return rows[index % Math.max(rows.length, 1)];
}

/** The account as a listener derives it from events alone. */
function retold(events: readonly TradeEvent[]) {
  const positions = new Map<number, Pick<TradePosition, 'volume' | 'sl'>>();
  const orders = new Map<number, Pick<TradeOrder, 'price_open'>>();
  const problems: string[] = [];
  for (const event of events) {
    const { ticket = 0 } = event;
    const book = event.event === 'position' ? positions : event.event === 'order' ? orders : null;
    if (!book) continue;
    const isMarketOrder = event.event === 'order' && (event.order?.type ?? 0) < 2;
    if (event.action === 'opened' && book.has(ticket)) problems.push(`${event.event} ${ticket} opened twice`);
    if (event.action !== 'opened' && !book.has(ticket) && !isMarketOrder) {
      problems.push(`${event.event} ${ticket} ${event.action} but not open`);
    }
    if (event.complete === false) problems.push(`${event.event} ${ticket} left unexplained`);
    if (event.action === 'closed') book.delete(ticket);
    else if (event.event === 'position') positions.set(ticket, event.position ?? { volume: 0, sl: 0 });
    else if (event.order) orders.set(ticket, event.order);
  }
  return { positions, orders, problems };
}

function rows<Row extends { readonly ticket: number }, Value>(list: readonly Row[], value: (row: Row) => Value) {
  return list.map((row): [number, Value] => [row.ticket, value(row)]).sort((a, b) => a[0] - b[0]);
}

describe('trade events of arbitrary trading, with lists that lag and fail and a gateway that restarts', () => {
  it.each(['polled', 'named', 'reported'] as const)('report every change once if changes are %s', async (changes) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const account = await WatchedAccount.start({ balance: 1_000_000 }, 1_000, changes);
        try {
          if (changes !== 'polled') account.log.follow(() => undefined);
          const since = account.log.lastSeq;
          for (const each of steps) {
            if (isTrade(each)) await elsewhere(account, () => take(account, each));
            else await take(account, each);
          }
          account.simulator.faults.clear();
          await account.look(20_000);
          const events = account.log.after(since, 10_000);
          const { positions, orders, problems } = retold(events);
          expect(problems).toEqual([]);
          expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => since + 1 + index));
          const openPositions = await account.terminal.positionsGet();
          expect([...positions].map(([ticket, { volume, sl }]) => [ticket, [volume, sl]])).toEqual(
            rows(openPositions, ({ volume, sl }) => [volume, sl]),
          );
          expect([...orders].map(([ticket, { price_open }]) => [ticket, price_open])).toEqual(
            rows(await account.terminal.ordersGet(), ({ price_open }) => price_open),
          );
          const deals = (await account.terminal.historyDealsGet({ from: 0, to: 1e11 })).slice(1);
          expect(events.flatMap(({ deal }) => (deal ? [deal.ticket] : [])).sort()).toEqual(
            deals.map(({ ticket }) => ticket).sort(),
          );
          const told = events.flatMap(({ deals: outs }) => outs ?? []).map(({ ticket }) => ticket);
          expect(new Set(told).size).toBe(told.length);
          const isOpen = new Set(openPositions.map(({ identifier }) => identifier));
          const outs = deals.filter(({ entry, position_id }) => entry !== 0 && !isOpen.has(position_id));
          expect(told).toEqual(expect.arrayContaining(outs.map(({ ticket }) => ticket)));
        } finally {
          await account.end();
        }
      }),
      { numRuns: effort(25, 400) },
    );
  });
});
