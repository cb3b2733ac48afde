import { asksOf } from './pull-prices';

const ticks = (...quotes: readonly (readonly [bid: number, ask: number])[]) =>
  quotes.map(([bid, ask], index) => ({ timeMs: index, bid, ask }));
const whole = ticks([1.1, 1.1002], [1.1003, 1.1004], [1.0998, 1.1005], [1.1001, 1.1002]);
const bar = { open: 1.1, high: 1.1003, low: 1.0998, close: 1.1001 };

describe('the asks of a bar of bids', () => {
  it('are those of its ticks, if their bids make the bar', () => {
    expect(asksOf(bar, whole, 5)).toEqual({ open: 1.1002, high: 1.1005, low: 1.1002, close: 1.1002 });
    expect(asksOf({ ...bar, high: 1.100300000001 }, whole, 5)).not.toBeNull();
  });

  it.each([
    ['without ticks', []],
    ['with ticks that miss its open', whole.slice(1)],
    ['with ticks that miss its high', [...whole.slice(0, 1), ...whole.slice(2)]],
    ['with ticks that miss its close', whole.slice(0, 3)],
    ['with a tick whose ask lies below the bid', [...whole, { timeMs: 4, bid: 1.1001, ask: 1.1 }]],
    ['with a tick without a bid', [...whole, { timeMs: 4, bid: 0, ask: 1.1002 }]],
  ])('are not known %s', (_what, found) => {
    expect(asksOf(bar, found, 5)).toBeNull();
  });
});
