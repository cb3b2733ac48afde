import { nextStop, trailOf, type Levels, type TrailMarket } from './trails';

const terms = { tickSize: 0.00001, digits: 5, stopsDistance: 0, freezeDistance: 0 };
const quote = (bid: number) => ({ timeMs: 0, bid, ask: bid });

describe('where a trailing stop moves the stop-loss', () => {
  const long = trailOf('t1', 'buy', { distance: 0.002 });
  const short = trailOf('t1', 'sell', { distance: 0.002 });
  const levels = (sl: number, tp = 0): Levels => ({ price_open: 1.1, sl, tp });
  const at = (price: number, best = price, more = {}): TrailMarket => {
    return { best, quote: quote(price), terms: { ...terms, ...more } };
  };

  it('is its distance behind the best price, of a long position below and of a short one above', () => {
    expect(nextStop(long, levels(0), at(1.105))).toBe(1.103);
    expect(nextStop(long, levels(1.09), at(1.1042, 1.105))).toBe(1.103);
    expect(nextStop(short, levels(0), at(1.095))).toBe(1.097);
    expect(nextStop(short, levels(1.11), at(1.0958, 1.095))).toBe(1.097);
  });

  it('is nowhere when a nearer one is set, or when it would move by less than the step', () => {
    expect(nextStop(long, levels(1.1031), at(1.105))).toBeNull();
    expect(nextStop(short, levels(1.0969), at(1.095))).toBeNull();
    // A tenth of the distance: in doubles, 1.103 - 1.1028 is less than 0.0002.
    expect(nextStop(long, levels(1.10281), at(1.105))).toBeNull();
    expect(nextStop(long, levels(1.1028), at(1.105))).toBe(1.103);
    expect(nextStop({ ...long, step: 0.001 }, levels(1.1028), at(1.105))).toBeNull();
  });

  it('is nowhere before the position has earned what activates it; then the best price counts, not the present one', () => {
    const later = { ...long, activateAt: 0.003 };
    expect(nextStop(later, levels(0), at(1.1029))).toBeNull();
    expect(nextStop(later, levels(0), at(1.103))).toBe(1.101);
    expect(nextStop(later, levels(0), at(1.102, 1.103))).toBe(1.101);
    expect(nextStop({ ...short, activateAt: 0.003 }, levels(0), at(1.0971))).toBeNull();
    expect(nextStop({ ...short, activateAt: 0.003 }, levels(0), at(1.097))).toBe(1.099);
  });

  it('keeps the least distance of the broker, and is on the grid, away from the price', () => {
    expect(nextStop(long, levels(0), at(1.105, 1.105, { stopsDistance: 0.005 }))).toBe(1.1);
    expect(nextStop(short, levels(0), at(1.095, 1.095, { stopsDistance: 0.005 }))).toBe(1.1);
    expect(nextStop(long, levels(0), at(1.10509, 1.10509, { tickSize: 0.0005 }))).toBe(1.103);
    expect(nextStop(short, levels(0), at(1.09491, 1.09491, { tickSize: 0.0005 }))).toBe(1.097);
  });

  it('is next to the price when the price has passed the place before the stop-loss could be moved', () => {
    expect(nextStop(long, levels(1.09), at(1.1, 1.105))).toBe(1.09999);
    expect(nextStop(short, levels(1.11), at(1.1, 1.095))).toBe(1.10001);
  });

  it('is nowhere while a level is so near to the price that the broker changes none', () => {
    const frozen = { freezeDistance: 0.001 };
    expect(nextStop(long, levels(1.104, 0), at(1.105, 1.107, frozen))).toBeNull();
    expect(nextStop(long, levels(1.1, 1.106), at(1.105, 1.105, frozen))).toBeNull();
    expect(nextStop(long, levels(1.1, 1.1061), at(1.105, 1.105, frozen))).toBe(1.103);
  });

  it('has a step of a tenth of its distance unless another one is stated', () => {
    expect(long).toEqual({ intentId: 't1', side: 'buy', distance: 0.002, step: 0.0002, activateAt: null });
    expect(trailOf('t1', 'sell', { distance: 1, step: 0.3, activateAt: 2 })).toMatchObject({
      step: 0.3,
      activateAt: 2,
    });
  });
});
