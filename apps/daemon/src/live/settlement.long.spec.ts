import { SymbolSwapMode, TradeAction } from '@libs/terminal-client';
import { BookWorld } from '../backtest/testing/book-world';
import { broker, expectBooked, limit, market } from '../backtest/testing/booked-orders';

const still = [[0, 1.1, 1.1001]] as const;

/** Sends, claims, looks. */
async function order(world: BookWorld, fields: Parameters<BookWorld['send']>[0]): Promise<number> {
  await world.order(fields);
  const ticket = world.claim();
  if (ticket === null) throw new Error('the order was refused');
  await world.look();
  return ticket;
}

describe('an order that is filled in part', () => {
  it('is booked by its deals; the cancelled rest is reported', async () => {
    const world = await BookWorld.start('hedging', still);
    const ticket = await order(world, market('buy', 0.5));
    expect(world.fills).toMatchObject([{ volume: 0.3, intentId: `i${ticket}`, entry: 'in' }]);
    expect(world.gone).toMatchObject([{ order: ticket, kind: 'cancelled', volume: 0.5, filled: 0.3 }]);
    await expectBooked(world);
    await world.send({ ...market('sell', 0.3), position: ticket });
    await world.look();
    expect(world.book.openTickets).toEqual([]);
    await expectBooked(world);
  });

  it('is a position and a pending order under one ticket, until it is filled completely', async () => {
    const quotes = [...still, [1_000, 1.0989, 1.099], [2_000, 1.0988, 1.0989]] as const;
    const world = await BookWorld.start('hedging', quotes);
    const ticket = await order(world, limit(1.099, 0.5));
    expect(world.book.orders).toMatchObject([{ ticket, volume: 0.5 }]);
    world.pass(1_000);
    await world.look();
    expect(world.book.positions).toMatchObject([{ ticket, volume: 0.3 }]);
    expect(world.book.orders).toMatchObject([{ ticket, volume: 0.2 }]);
    world.restart();
    await world.look();
    await expectBooked(world);
    expect(world.book.hasWorkingOrders(broker)).toBe(true);
    world.pass(1_000);
    await world.look();
    expect(world.book.positions).toMatchObject([{ ticket, volume: 0.5 }]);
    expect(world.book.hasWorkingOrders(broker)).toBe(false);
    expect(world.gone).toEqual([]);
    await expectBooked(world);
  });

  it('fills under the intent that placed it, also after a restart', async () => {
    const quotes = [...still, [1_000, 1.0989, 1.099], [2_000, 1.0988, 1.0989]] as const;
    const world = await BookWorld.start('hedging', quotes);
    const ticket = await order(world, limit(1.099, 0.5));
    world.restart();
    world.pass(1_000);
    await world.look();
    world.restart();
    world.pass(1_000);
    await world.look();
    expect(world.fills.map(({ intentId }) => intentId)).toEqual([`i${ticket}`, `i${ticket}`]);
  });

  it('may be closed while the rest of it still works, and be filled again', async () => {
    const quotes = [...still, [1_000, 1.0989, 1.099], [2_000, 1.0988, 1.0989]] as const;
    const world = await BookWorld.start('hedging', quotes);
    const ticket = await order(world, limit(1.099, 0.6));
    world.pass(1_000);
    await world.look();
    await world.send({ ...market('sell', 0.3), price: 1.0989, position: ticket });
    await world.look();
    expect(world.book.positions).toEqual([]);
    expect(world.book.orders).toMatchObject([{ ticket, volume: 0.3 }]);
    await world.send({ action: TradeAction.REMOVE, order: ticket });
    await world.look();
    expect(world.gone).toMatchObject([{ order: ticket, kind: 'cancelled', filled: 0.3 }]);
    expect(world.book.openTickets).toEqual([]);
    await expectBooked(world);
  });
});

describe('a position that the broker reopens overnight', () => {
  it('stays the position of its order under another ticket, with every deal booked', async () => {
    const reopening = { swap_mode: SymbolSwapMode.REOPEN_CURRENT, swap_long: 5, swap_short: 5 };
    const world = await BookWorld.start('hedging', still, reopening);
    const ticket = await order(world, market('buy', 0.1));
    world.pass(86_400_000);
    await world.look();
    await world.look();
    const position = world.book.positions[0];
    expect(position?.ticket).not.toBe(ticket);
    expect(world.fills.map(({ entry, position: opened }) => [entry, opened])).toEqual([
      ['in', ticket],
      ['out', ticket],
      ['in', ticket],
    ]);
    await expectBooked(world);
    expect(world.book.named(position?.ticket ?? 0)).toMatchObject([{ ticket }]);
  });
});

describe('a netting account', () => {
  it('has entries add to one position, and each deal booked once', async () => {
    const world = await BookWorld.start('netting', still);
    const first = await order(world, market('buy', 0.1));
    const second = await order(world, market('buy', 0.2));
    expect(world.book.positions).toMatchObject([{ ticket: first, volume: 0.3 }]);
    expect(world.fills.map(({ intentId, position }) => [intentId, position])).toEqual([
      [`i${first}`, first],
      [`i${second}`, first],
    ]);
    await expectBooked(world);
  });

  it('has opposite entries reduce, close and reverse it', async () => {
    const world = await BookWorld.start('netting', still);
    const first = await order(world, market('buy', 0.1));
    const reversing = await order(world, market('sell', 0.2));
    // As much as before, the other way: its volume alone would not show it.
    expect(world.book.positions).toMatchObject([{ ticket: reversing, side: 'sell', volume: 0.1 }]);
    expect(world.fills.at(-1)).toMatchObject({ intentId: `i${reversing}`, entry: 'inout', position: first });
    await expectBooked(world);
    world.restart();
    await world.look();
    await order(world, market('buy', 0.1));
    expect(world.book.openTickets).toEqual([]);
    await expectBooked(world);
    const next = await order(world, market('sell', 0.1));
    expect(world.book.positions).toMatchObject([{ ticket: next, side: 'sell' }]);
    await expectBooked(world);
  });

  it('books a manual reversal, even if the open volume is the same as before', async () => {
    const world = await BookWorld.start('netting', still);
    await order(world, market('buy', 0.1));
    await world.send(market('sell', 0.2));
    await world.look();
    expect(world.fills.at(-1)).toMatchObject({ entry: 'inout', intentId: null });
    await expectBooked(world);
  });

  it('reports an order that fills into an external position, whose deals are not its own', async () => {
    const world = await BookWorld.start('netting', still);
    const theirs = await world.send(market('buy', 0.2));
    const ours = await order(world, market('buy', 0.1));
    expect(world.foreign).toEqual([theirs?.order]);
    expect(world.fills).toMatchObject([{ intentId: `i${ours}`, volume: 0.1, position: theirs?.order }]);
    await world.look();
    expect(world.book.positions).toMatchObject([{ volume: 0.3 }]);
  });
});
