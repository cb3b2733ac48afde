import { OrderIntents } from './order-intents';

const known = (intents: OrderIntents): number[] => intents.all.map(([order]) => Number(order.split(':')[1]));

describe('the intents of orders', () => {
  it('are kept for the last thousand orders, the oldest first, however many came before', () => {
    const intents = new OrderIntents([['demo:1', 'a-1']]);
    for (let order = 2; order <= 3_500; order++) intents.add('demo', order, `a-${order}`);
    expect(known(intents)).toEqual(Array.from({ length: 1_000 }, (_, at) => 2_501 + at));
    expect(intents.isOfAnother('demo', 3_500, 'another')).toBe(true);
    expect(intents.isOfAnother('demo', 2_500, 'another')).toBe(false);
  });

  it('stay in their place when an order is added again', () => {
    const intents = new OrderIntents();
    for (const order of [7, 8, 7]) intents.add('demo', order, `a-${order}`);
    expect(intents.all).toEqual([
      ['demo:7', 'a-7'],
      ['demo:8', 'a-8'],
    ]);
  });
});
